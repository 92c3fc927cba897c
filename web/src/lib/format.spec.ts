import { expect, test } from 'vitest';
import { compactTokens, formatCost, formatPrice } from './format';

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

test('tokens in as little room as there is', () => {
  expect([0, 950, 999, 1000, 4210, 9949, 9950, 64_000].map(compactTokens)).toEqual([
    '0',
    '950',
    '999',
    '1k',
    '4.2k',
    '9.9k',
    '10k',
    '64k',
  ]);
  expect([999_499, 999_500, 1_234_567, 10_000_000].map(compactTokens)).toEqual(['999k', '1M', '1.2M', '10M']);
});
