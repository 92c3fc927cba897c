import { expect, it } from 'vitest';
import { includesLine, parseLineRange, extendRange, formatLineRange } from './lineRange';

it('reads what addresses and people write', () => {
  expect(parseLineRange('45-67')).toEqual({ from: 45, to: 67 });
  expect(parseLineRange(' 67 – 45 ')).toEqual({ from: 45, to: 67 });
  expect(parseLineRange('L45-L67')).toEqual({ from: 45, to: 67 });
  expect(parseLineRange('45')).toEqual({ from: 45, to: 45 });
});

it('means nothing by anything else', () => {
  for (const text of [null, '', '0', '-3', 'x', '1-2-3', '1e9', '<b>', '99999999999'])
    expect(parseLineRange(text)).toBeNull();
});

it('is written as it is read', () => {
  expect(formatLineRange({ from: 45, to: 67 })).toBe('45-67');
  expect(formatLineRange({ from: 45, to: 45 })).toBe('45');
});

it('stretches from its first line', () => {
  expect(extendRange({ from: 5, to: 9 }, 7)).toEqual({ from: 5, to: 7 });
  expect(extendRange({ from: 5, to: 9 }, 2)).toEqual({ from: 2, to: 5 });
  expect(extendRange(null, 3)).toEqual({ from: 3, to: 3 });
  expect(includesLine({ from: 5, to: 9 }, 9)).toBe(true);
  expect(includesLine(null, 9)).toBe(false);
});
