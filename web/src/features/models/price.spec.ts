import { expect, it } from 'vitest';
import { priceText } from './price';

it('shows cents, and more only where cents say nothing', () => {
  expect(priceText(15)).toBe('$15.00');
  expect(priceText(0.15)).toBe('$0.15');
  expect(priceText(0.075)).toBe('$0.075');
  expect(priceText(0.0123)).toBe('$0.012');
});
