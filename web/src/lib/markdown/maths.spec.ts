import { describe, expect, it } from 'vitest';
import { inlineHtml, inlineOf, lex } from './lexer';
import { blockFormula, inlineFormula, openFormula } from './maths';

const formulas = (text: string): string[] =>
  lex(text).flatMap((block) =>
    [...inlineHtml(inlineOf(block)).matchAll(/<span data-math="\w+">(.*?)<\/span>/g)].map(
      (match) => match[1] ?? '',
    ),
  );

describe('maths', () => {
  it.each([
    ['$x^2$', 'x^2', false],
    ['$$x$$', 'x', true],
    ['\\(a+b\\)', 'a+b', false],
    ['\\[a\n+b\\]', 'a\n+b', true],
    ['$\\$5$', '\\$5', false],
  ])('is found in %s', (text, tex, display) => {
    expect(inlineFormula(text)).toEqual({ raw: text, tex, display });
  });

  it.each([
    'It costs $5 and $10.',
    'Between $5-$10 a month.',
    '$HOME/$USER',
    'US$5 or US$6',
    '$ x $',
    '$$$',
    'a $ b',
    'set `$x$` here',
    'escaped \\$x\\$ here',
  ])('is not seen in %s', (text) => {
    expect(formulas(text)).toEqual([]);
  });

  it('is found in the middle of words, in lists and on lines of its own', () => {
    expect(formulas('Let $x_1*y_2*z$ and \\(q\\) be.')).toEqual(['x_1*y_2*z', 'q']);
    expect(formulas('Then\n$$\na_1 = b\n$$\nholds.')).toEqual(['a_1 = b']);
    expect(blockFormula('\\[ x \\]\n\nmore')?.tex).toBe('x');
  });

  it('keeps what looks like HTML as its source', () => {
    expect(formulas('$a<b>c$')).toEqual(['a&lt;b>c']);
  });

  it('knows a formula that is not finished', () => {
    expect(openFormula('$$\na + ')).toBe('\na + ');
    expect(openFormula('$$a$$')).toBeNull();
    expect(openFormula('words')).toBeNull();
  });
});
