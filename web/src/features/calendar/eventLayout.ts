/** Where events stand that share their time: side by side in a column, or above each other as bars. */

interface Timed {
  readonly top: number;
  readonly bottom: number;
}

/** A thing in a column, and which part of the width it has, from 0 to 1. */
export interface SideBySide<T> {
  readonly item: T;
  readonly left: number;
  readonly width: number;
}

/** What is shorter is drawn this tall, in minutes of the column: one line of text. */
export const DRAWN_MIN_MINUTES = 24;

const drawnBottom = ({ top, bottom }: Timed): number => Math.max(bottom, top + DRAWN_MIN_MINUTES);

/** Put things that overlap side by side; each is as wide as there is room to its right. */
export function placeSideBySide<T extends Timed>(items: readonly T[]): SideBySide<T>[] {
  const sorted = items.toSorted((a, b) => a.top - b.top || b.bottom - a.bottom);
  const placed: SideBySide<T>[] = [];
  let group: T[] = [];
  let groupEnd = -1;
  for (const item of sorted) {
    if (group.length && item.top >= groupEnd) {
      placed.push(...placeGroup(group));
      group = [];
    }
    group.push(item);
    groupEnd = Math.max(group.length === 1 ? -1 : groupEnd, drawnBottom(item));
  }
  return [...placed, ...placeGroup(group)];
}

/** Things that are linked by overlaps share columns of the same width. */
function placeGroup<T extends Timed>(group: readonly T[]): SideBySide<T>[] {
  const columns: T[][] = [];
  const columnOf = new Map<T, number>();
  for (const item of group) {
    const free = columns.findIndex((column) => column.every((other) => drawnBottom(other) <= item.top));
    const index = free < 0 ? columns.length : free;
    (columns[index] ??= []).push(item);
    columnOf.set(item, index);
  }
  return group.map((item) => {
    const column = columnOf.get(item) ?? 0;
    const blocked = columns.findIndex(
      (others, index) => index > column && others.some((other) => doOverlap(item, other)),
    );
    const until = blocked < 0 ? columns.length : blocked;
    return { item, left: column / columns.length, width: (until - column) / columns.length };
  });
}

const doOverlap = (one: Timed, other: Timed): boolean =>
  one.top < drawnBottom(other) && other.top < drawnBottom(one);

interface Spanning {
  /** Indexes of days; the last is meant too. */
  readonly first: number;
  readonly last: number;
}

/** A bar across some days, and in which line it stands. */
export interface Bar<T> {
  readonly item: T;
  readonly first: number;
  readonly last: number;
  readonly line: number;
}

/** Put bars into as few lines as they need, cut to the days that are shown; the longest come first. */
export function placeBars<T extends Spanning>(items: readonly T[], dayCount: number): Bar<T>[] {
  const shown = items.filter(({ first, last }) => last >= 0 && first < dayCount);
  const sorted = shown.toSorted((a, b) => a.first - b.first || b.last - b.first - (a.last - a.first));
  const lineEnds: number[] = [];
  return sorted.map((item) => {
    const [first, last] = [Math.max(0, item.first), Math.min(dayCount - 1, item.last)];
    const free = lineEnds.findIndex((end) => end < first);
    const line = free < 0 ? lineEnds.length : free;
    lineEnds[line] = last;
    return { item, first, last, line };
  });
}

/** How many lines bars take. */
export const lineCount = (bars: readonly { readonly line: number }[]): number =>
  bars.reduce((most, { line }) => Math.max(most, line + 1), 0);
