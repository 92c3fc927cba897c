import { describe, expect, it } from 'vitest';
import { lex } from './lexer';
import { BlockSplitter } from './blockSplitter';

const TEXT = `# Title

A paragraph with **bold** and \`code\`.

1. one
2. two

   - nested

\`\`\`python
def f():

    return 1
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quoted
> more

$$
x_1
$$

The end.

And *more*.
`;
const shape = (tokens: { type: string; raw: string }[]): string =>
  tokens
    .filter((token) => token.type !== 'space')
    .map((token) => `${token.type}:${token.raw.trim()}`)
    .join('|');

describe('splitting', () => {
  it('in any pieces ends as reading the whole does', () => {
    for (let size = 1; size < 40; size += 3) {
      const splitter = new BlockSplitter();
      for (let end = size; end < TEXT.length; end += size) splitter.split(TEXT.slice(0, end), true);
      expect(shape(splitter.split(TEXT, true))).toBe(shape(lex(TEXT)));
      expect(shape(splitter.split(TEXT, false))).toBe(shape(lex(TEXT)));
    }
  });

  it('keeps blocks that are settled as the same objects', () => {
    const splitter = new BlockSplitter();
    const before = splitter.split('a\n\nb\n\nc\n\nd', true);
    const after = splitter.split('a\n\nb\n\nc\n\nd and more\n\ne', true);
    expect(after[0]).toBe(before[0]);
    expect(after[2]).toBe(before[2]);
  });

  it('begins anew when the text is another one', () => {
    const splitter = new BlockSplitter();
    splitter.split('a\n\nb\n\nc\n\nd', true);
    expect(shape(splitter.split('z', true))).toBe('paragraph:z');
  });

  it('shows code whose fence is open as code, and a formula that is open as its source', () => {
    const splitter = new BlockSplitter();
    expect(splitter.split('Look:\n\n```js\nconst a', true).at(-1)).toMatchObject({
      type: 'code',
      text: 'const a',
    });
    expect(splitter.split('Look:\n\n$$\na_1 +', true).at(-1)).toMatchObject({
      type: 'open-formula',
      text: '\na_1 +',
    });
  });

  it('reads links that are explained later', () => {
    const [paragraph] = new BlockSplitter().split('See [it][1].\n\n[1]: https://example.com', false);
    expect(JSON.stringify(paragraph)).toContain('"href":"https://example.com"');
  });
});
