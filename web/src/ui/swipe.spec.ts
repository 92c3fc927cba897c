import { expect, it } from 'vitest';
import { swipeDirection } from './swipe';

it('a long level stroke is a swipe', () => {
  expect(swipeDirection({ startX: 0, deltaX: 90, deltaY: 10 })).toBe('right');
  expect(swipeDirection({ startX: 300, deltaX: -90, deltaY: 10 })).toBe('left');
});

it('a short stroke, or one that scrolls, is none', () => {
  expect(swipeDirection({ startX: 0, deltaX: 20, deltaY: 0 })).toBeNull();
  expect(swipeDirection({ startX: 0, deltaX: 60, deltaY: 50 })).toBeNull();
});
