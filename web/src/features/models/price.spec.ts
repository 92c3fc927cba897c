import { expect, it } from 'vitest';
import { formatPrice } from './price';

it('shows cents, and more only where cents say nothing', () => {
  expect(formatPrice(15)).toBe('$15.00');
  expect(formatPrice(0.15)).toBe('$0.15');
  expect(formatPrice(0.075)).toBe('$0.075');
  expect(formatPrice(0.0123)).toBe('$0.012');
});
