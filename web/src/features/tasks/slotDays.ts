/** Free times under the days that they are on, as people where they are read them. */
import { fullDateText, timeText } from '$lib/dateWords';
import { dayOf } from '$lib/zonedTime';
import type { Slot } from './requests';

export interface ShownSlot extends Slot {
  readonly from: string;
  readonly to: string;
}
export interface SlotDay {
  readonly day: string;
  readonly label: string;
  readonly slots: readonly ShownSlot[];
}

/**
 * Put free times under their days: none that overlaps the one before it, and so many of each day that all of
 * it is seen.
 */
export function groupSlots(slots: readonly Slot[], zone: string, most: number): SlotDay[] {
  const days = new Map<string, ShownSlot[]>();
  for (const slot of slots) {
    const [start, end] = [Date.parse(slot.start), Date.parse(slot.end)];
    const day = dayOf(start, zone);
    const shown = days.get(day) ?? [];
    const isApart = start >= Date.parse(shown.at(-1)?.end ?? slot.start);
    if (isApart) shown.push({ ...slot, from: timeText(start, zone), to: timeText(end, zone) });
    days.set(day, shown);
  }
  return [...days].map(([day, shown]) => ({ day, label: fullDateText(day), slots: spread(shown, most) }));
}

/** Take so many of a list, at even distances from its first one on. */
export function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  const places = Array.from({ length: most }, (_, place) => Math.floor((place * items.length) / most));
  return items.filter((_, place) => places.includes(place));
}
