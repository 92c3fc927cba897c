import { expect, test } from 'vitest';
import { formatCost, formatPrice } from './format';

test('an estimated cost says that it is one', () => {
  expect(formatCost(0.32, true)).toBe('about $0.32');
  expect(formatCost(0.0012, true)).toBe('about 0.12¢');
  expect(formatCost(0.32)).toBe('$0.32');
});

test('what is free or has no known price is no estimate', () => {
  expect(formatCost(0, true)).toBe('free');
  expect(formatCost(null, true)).toBe('price unknown');
});

test('a price shows cents, and more only where cents say nothing', () => {
  expect(formatPrice(15)).toBe('$15.00');
  expect(formatPrice(0.15)).toBe('$0.15');
  expect(formatPrice(0.075)).toBe('$0.075');
  expect(formatPrice(0.0123)).toBe('$0.012');
});
