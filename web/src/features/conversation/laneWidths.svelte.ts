/** The widths the person gave to lanes: one set for each number of lanes, the same in every round. */
import { SvelteMap } from 'svelte/reactivity';
import { removeStored, writeStored, readStored } from '$lib/storage';
import { parseWidths, type Widths } from './widths';

const keyOf = (count: number): string => `tertulia.widths.${count}`;
/** More lanes than this stand beside each other on no screen. */
const PARALLEL_LANES_MAX = 12;

class LaneWidths {
  readonly #widths = new SvelteMap<number, Widths>();

  constructor() {
    for (let count = 2; count <= PARALLEL_LANES_MAX; count += 1) {
      const kept = parseWidths(readStored(keyOf(count)), count);
      if (kept) this.#widths.set(count, kept);
    }
  }

  /** The widths for so many lanes; undefined when nobody changed them. */
  of(count: number): Widths | undefined {
    return this.#widths.get(count);
  }

  set(widths: Widths): void {
    this.#widths.set(widths.length, widths);
  }

  /** Remember the widths for the next visit: once they are settled, not while they are dragged. */
  keep(count: number): void {
    const widths = this.of(count);
    if (widths) writeStored(keyOf(count), widths);
  }

  /** Make lanes equal again. */
  reset(count: number): void {
    this.#widths.delete(count);
    removeStored(keyOf(count));
  }
}

export const laneWidths = new LaneWidths();
