import { describe, expect, it } from 'vitest';
import { lineCount, placeBars, placeSideBySide } from './eventLayout';

const timed = (name: string, top: number, bottom: number) => ({ name, top, bottom });
const layout = (...items: ReturnType<typeof timed>[]) =>
  Object.fromEntries(
    placeSideBySide(items).map(({ item, left, width }) => [
      item.name,
      [left, width].map((n) => +n.toFixed(2)),
    ]),
  );

describe('events side by side', () => {
  it('have the whole width where nothing else happens', () => {
    expect(layout(timed('a', 60, 120), timed('b', 120, 180))).toEqual({ a: [0, 1], b: [0, 1] });
  });

  it('share the width where they overlap', () => {
    expect(layout(timed('a', 60, 120), timed('b', 90, 180))).toEqual({ a: [0, 0.5], b: [0.5, 0.5] });
  });

  it('use room that is free to their right', () => {
    const drawn = layout(timed('a', 0, 300), timed('b', 0, 100), timed('c', 0, 100), timed('d', 150, 300));
    expect(drawn).toEqual({ a: [0, 0.33], b: [0.33, 0.33], c: [0.67, 0.33], d: [0.33, 0.67] });
  });

  it('that are very short do not cover what follows', () => {
    expect(layout(timed('a', 60, 65), timed('b', 70, 130))).toEqual({ a: [0, 0.5], b: [0.5, 0.5] });
  });

  it('never cover one another, however many there are', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 16_807) % 2_147_483_647) % below;
    const items = Array.from({ length: 200 }, (_, index) => {
      const top = random(1300);
      return timed(String(index), top, Math.min(1440, top + 15 + random(200)));
    });
    const placed = placeSideBySide(items);
    expect(placed).toHaveLength(200);
    for (const one of placed)
      for (const other of placed) {
        if (one === other || one.item.top >= other.item.bottom || other.item.top >= one.item.bottom) continue;
        const gap = Math.max(one.left, other.left) - Math.min(one.left + one.width, other.left + other.width);
        expect(gap).toBeGreaterThanOrEqual(-1e-9);
      }
  });
});

describe('bars across days', () => {
  it('stand in as few lines as they need', () => {
    const bars = placeBars(
      [
        { first: 0, last: 2 },
        { first: 1, last: 1 },
        { first: 3, last: 4 },
      ],
      7,
    );
    expect(bars.map(({ line }) => line)).toEqual([0, 1, 0]);
    expect(lineCount(bars)).toBe(2);
  });

  it('are cut to the days that are shown', () => {
    const bars = placeBars(
      [
        { first: -3, last: 9 },
        { first: -3, last: -1 },
      ],
      7,
    );
    expect(bars.map(({ first, last }) => [first, last])).toEqual([[0, 6]]);
    expect(lineCount([])).toBe(0);
  });
});
