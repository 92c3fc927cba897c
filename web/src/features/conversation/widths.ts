/** How wide the lanes beside each other are: shares of the row in per cent, which add up to 100. */

export type Widths = readonly number[];

/** What one press of an arrow key shifts, in per cent of the row. */
export const RESIZE_STEP_PERCENT = 5;

const LANE_WIDTH_MIN_PERCENT = 15;

/** All lanes of the same width. */
export const equalWidths = (count: number): Widths => Array.from({ length: count }, () => 100 / count);

/** The smallest share a lane may have: with many lanes, that of lanes of the same width. */
export const minWidth = (count: number): number => Math.min(LANE_WIDTH_MIN_PERCENT, 100 / count);

/** The largest share the lane left of a divider may have: its neighbour keeps the least. */
export const maxWidth = (widths: Widths, left: number): number =>
  at(widths, left) + at(widths, left + 1) - minWidth(widths.length);

/** Give a lane a share, as far as it may, at the cost of its right neighbour alone. */
export function resizeLane(widths: Widths, left: number, share: number): Widths {
  const given = Math.max(minWidth(widths.length), Math.min(maxWidth(widths, left), share));
  const rest = at(widths, left) + at(widths, left + 1) - given;
  return widths.map((width, lane) => (lane === left ? given : lane === left + 1 ? rest : width));
}

/** The columns of a grid that has these widths. */
export const gridColumns = (widths: Widths): string =>
  widths.map((width) => `minmax(0, ${width.toFixed(3)}fr)`).join(' ');

/** Widths as they were kept; null when they are none for so many lanes. */
export function parseWidths(kept: unknown, count: number): Widths | null {
  if (!Array.isArray(kept) || kept.length !== count) return null;
  const least = minWidth(count) - ROUNDING_TOLERANCE_PERCENT;
  if (!kept.every((width): width is number => typeof width === 'number' && width >= least)) return null;
  return Math.abs(kept.reduce((sum, width) => sum + width, 0) - 100) < ROUNDING_TOLERANCE_PERCENT
    ? kept
    : null;
}

/** Sums of fractions are not exact. */
const ROUNDING_TOLERANCE_PERCENT = 0.01;

const at = (widths: Widths, lane: number): number => widths[lane] ?? 0;
