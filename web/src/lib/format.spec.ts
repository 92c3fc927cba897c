import { expect, test } from 'vitest';
import { money } from './format';

test('an estimated cost says that it is one', () => {
  expect(money(0.32, true)).toBe('about $0.32');
  expect(money(0.0012, true)).toBe('about 0.12¢');
  expect(money(0.32)).toBe('$0.32');
});

test('what is free or has no known price is no estimate', () => {
  expect(money(0, true)).toBe('free');
  expect(money(null, true)).toBe('price unknown');
});
