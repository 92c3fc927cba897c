import { describe, expect, it } from 'vitest';
import { placeToast, type Box } from './toastPlaces';

const SCREEN = { width: 390, height: 844 };
const TOAST = { width: 300, height: 50 };

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.left + b.width &&
  b.left < a.left + a.width &&
  a.top < b.top + b.height &&
  b.top < a.top + a.height;

/** Numbers that look random, and are the same in each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

describe('the place of a toast', () => {
  it('is at the top right where nothing is', () => {
    expect(placeToast(TOAST, SCREEN, [])).toEqual({ left: 78, top: 12 });
  });

  it('covers nothing wherever there is a free row, and is on the screen', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const next = random(seed);
      const free = Math.floor(next() * (SCREEN.height - 120)) + 10;
      const obstacles = Array.from({ length: 30 }, () => ({
        left: next() * SCREEN.width,
        top: next() * SCREEN.height,
        width: next() * 120,
        height: next() * 60,
      })).filter(({ top, height }) => top + height < free || top > free + 80);
      const placed = { ...placeToast(TOAST, SCREEN, obstacles), ...TOAST };
      expect(obstacles.filter((obstacle) => overlaps(placed, obstacle))).toEqual([]);
      expect(placed.left).toBeGreaterThanOrEqual(0);
      expect(placed.top + placed.height).toBeLessThanOrEqual(SCREEN.height);
    }
  });

  it('stays the same until something is beneath it or the screen is too small', () => {
    const before = { left: 40, top: 300 };
    expect(placeToast(TOAST, SCREEN, [], before)).toEqual(before);
    expect(placeToast(TOAST, SCREEN, [{ left: 50, top: 310, width: 9, height: 9 }], before)).not.toEqual(
      before,
    );
    expect(placeToast(TOAST, { width: 390, height: 320 }, [], before).top).toBe(12);
  });

  it('covers a part of something large rather than a small button where there is no room', () => {
    const button = { left: 180, top: 30, width: 20, height: 20 };
    const full = [
      { left: 0, top: 0, width: 390, height: 20 },
      button,
      { left: 0, top: 60, width: 390, height: 784 },
    ];
    expect(overlaps({ ...placeToast(TOAST, SCREEN, full), ...TOAST }, button)).toBe(false);
  });
});
