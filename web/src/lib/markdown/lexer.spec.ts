import { expect, it } from 'vitest';
import { lex, NESTING_MAX } from './lexer';

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
