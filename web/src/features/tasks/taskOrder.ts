/** The order that people give to tasks: where something that is moved comes to stand. */

interface Ordered {
  readonly id: string;
}

/** Return a list with something right after another of it, or first; where that is unknown, last. */
export function placeAfter<T extends Ordered>(items: readonly T[], moved: T, after: string | null): T[] {
  const others = items.filter(({ id }) => id !== moved.id);
  if (after === null) return [moved, ...others];
  const found = others.findIndex(({ id }) => id === after);
  const place = found < 0 ? others.length : found + 1;
  return [...others.slice(0, place), moved, ...others.slice(place)];
}

/** Return after which one something comes that is dropped before the one at an index. */
export function dropAfter(items: readonly Ordered[], index: number, movedId: string): string | null {
  const before = items.slice(0, index).filter(({ id }) => id !== movedId);
  return before.at(-1)?.id ?? null;
}

/**
 * Return after which one something comes that goes some places on or back; undefined where it is at the end
 * already.
 */
export function stepAfter(
  items: readonly Ordered[],
  movedId: string,
  steps: number,
): string | null | undefined {
  const at = items.findIndex(({ id }) => id === movedId);
  const target = at + steps;
  if (at < 0 || target < 0 || target >= items.length) return undefined;
  const others = items.filter(({ id }) => id !== movedId);
  return others[target - 1]?.id ?? null;
}

/** Return before which of some rows a pointer is, by their middles. */
export const indexAtHeight = (middles: readonly number[], y: number): number => {
  const found = middles.findIndex((middle) => y < middle);
  return found < 0 ? middles.length : found;
};
