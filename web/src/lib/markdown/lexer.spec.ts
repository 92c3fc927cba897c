import { expect, it } from 'vitest';
import { INLINE_PIECE_MAX_CHARS, inlineHtml, inlineOf, inlinePieces, lex, NESTING_MAX } from './lexer';
import { closeOpenMarks } from './openMarks';

const depthOf = (token: { items?: unknown; tokens?: unknown }): number => {
  const inner = [...((token.items ?? []) as []), ...((token.tokens ?? []) as [])];
  return 1 + Math.max(0, ...inner.map(depthOf));
};

it.each(['- ', '> ', '1. ', '- > '])('reads %j that is nested without end in linear time', (mark) => {
  const [first] = lex(`${mark.repeat(40_000)}x`);
  expect(depthOf(first as never)).toBeLessThanOrEqual(3 * NESTING_MAX);
});

it('keeps ordinary nesting', () => {
  const [list] = lex('- a\n  - b\n    - c\n\n      > d\n');
  expect(depthOf(list as never)).toBeGreaterThan(6);
});

it('draws formulas, emphasis and links in a paragraph of any length', () => {
  const sentence = 'So $x_1 + y$ is **small**, [they say](https://example.org).\n';
  const html = lex(sentence.repeat(1_500))
    .map((paragraph) => inlineHtml(inlineOf(paragraph)))
    .join('');
  for (const mark of ['<span data-math="inline">x_1 + y</span>', '<strong>small</strong>', '<a href='])
    expect(html.split(mark)).toHaveLength(1_501);
});

it.each(['word ', 'wordword', '*a ', '[', '$x ', '\\(a '])(
  'reads %j without end in pieces that stay',
  (word) => {
    const text = word.repeat(20_000);
    const pieces = inlinePieces(text);
    expect(pieces.join('')).toBe(text);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(INLINE_PIECE_MAX_CHARS);
    expect(inlinePieces(`${text} and more`).slice(0, pieces.length - 1)).toEqual(pieces.slice(0, -1));
  },
);

it('closes what is open at the end of a long paragraph that is being written', () => {
  const text = `${'A sentence. '.repeat(3_000)}It is **bo`;
  expect(closeOpenMarks(text)).toBe(`${text}**`);
});
