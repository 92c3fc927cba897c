import { expect, it } from 'vitest';
import { shouldFollowEnd } from './scroll';

const at = (offset: number, below: number) => ({ offset, below });

it('follows the end until the reader scrolls up', () => {
  expect(shouldFollowEnd(true, at(500, 0), at(480, 20))).toBe(false);
  expect(shouldFollowEnd(true, at(500, 0), at(500, 300))).toBe(true);
});

it('follows again at the end', () => {
  expect(shouldFollowEnd(false, at(300, 200), at(480, 20))).toBe(true);
  expect(shouldFollowEnd(false, at(300, 200), at(350, 150))).toBe(false);
});

it('still follows when the content shrinks under the reader', () => {
  expect(shouldFollowEnd(true, at(500, 0), at(300, 0))).toBe(true);
});
