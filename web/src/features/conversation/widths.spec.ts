import { describe, expect, it } from 'vitest';
import { parseWidths, gridColumns, equalWidths, minWidth, maxWidth, resizeLane } from './widths';

const sum = (widths: readonly number[]): number => widths.reduce((all, width) => all + width, 0);

describe('widths', () => {
  it('are equal at first', () => {
    expect(equalWidths(2)).toEqual([50, 50]);
    expect(sum(equalWidths(3))).toBeCloseTo(100);
  });

  it('shift between two neighbours and leave the others alone', () => {
    expect(resizeLane([30, 30, 40], 0, 35)).toEqual([35, 25, 40]);
    expect(resizeLane([30, 30, 40], 1, 25)).toEqual([30, 25, 45]);
  });

  it('leave each of the two at least 15 %', () => {
    expect(resizeLane([50, 50], 0, 99)).toEqual([85, 15]);
    expect(resizeLane([50, 50], 0, -20)).toEqual([15, 85]);
    expect(maxWidth([30, 30, 40], 1)).toBe(55);
  });

  it('cannot shift where equal lanes are already narrower than that', () => {
    expect(minWidth(8)).toBe(12.5);
    expect(resizeLane(equalWidths(8), 3, 30)).toEqual(equalWidths(8));
  });

  it('always fill the row, however often they are shifted', () => {
    let widths = equalWidths(3);
    for (let turn = 0; turn < 300; turn += 1) widths = resizeLane(widths, turn % 2, (turn * 7.3) % 100);
    expect(sum(widths)).toBeCloseTo(100);
    expect(Math.min(...widths)).toBeGreaterThan(15 - 1e-6);
    expect(parseWidths(widths, 3)).toEqual(widths);
  });

  it('become the columns of a grid', () => {
    expect(gridColumns([60, 40])).toBe('minmax(0, 60.000fr) minmax(0, 40.000fr)');
  });
});

describe('kept widths', () => {
  it('are taken when they fit the number of lanes', () => {
    expect(parseWidths([60, 40], 2)).toEqual([60, 40]);
    expect(parseWidths(equalWidths(7), 7)).toEqual(equalWidths(7));
  });

  it.each([null, 'wide', [60, 40, 0], [100], [90, 10], [60, 60], ['60', '40'], [null, 100], [NaN, 50]])(
    'are not believed when they are %j',
    (kept) => expect(parseWidths(kept, 2)).toBeNull(),
  );
});
