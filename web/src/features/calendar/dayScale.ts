/**
 * Where moments stand in the column of a day. The column is a clock of 24 hours, so that the hours of all days
 * are in line; an hour that the clocks leave out stays empty, and one that they repeat holds both, the first in
 * its upper half. So every moment has a place of its own, and later ones stand lower.
 */
import { addDays, DAY_MINUTES, minuteOf, MINUTE_MS, startOfDay, type Day } from '$lib/zonedTime';

/** A stretch of the day whose moments stand evenly: from when to when, and between which minutes of the column. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly top: number;
  readonly bottom: number;
}

export interface DayScale {
  readonly day: Day;
  readonly zone: string;
  readonly start: number;
  readonly end: number;
  /** The minutes of the column that no moment stands at. */
  readonly missing: { readonly top: number; readonly bottom: number } | null;
  /** The minutes of the column that stand for twice as much time. */
  readonly repeated: { readonly top: number; readonly bottom: number } | null;
  readonly stretches: readonly Stretch[];
}

/** Measure a day in a zone. */
export function measureDay(day: Day, zone: string): DayScale {
  const [start, end] = [startOfDay(day, zone), startOfDay(addDays(day, 1), zone)];
  const shift = Math.round((end - start) / MINUTE_MS) - DAY_MINUTES;
  const whole = { day, zone, start, end, missing: null, repeated: null };
  if (shift === 0) return { ...whole, stretches: [{ start, end, top: 0, bottom: DAY_MINUTES }] };
  const change = findChange(start, end, zone);
  const before = (change - start) / MINUTE_MS;
  if (shift < 0) {
    const missing = { top: before, bottom: before - shift };
    const stretches = [
      { start, end: change, top: 0, bottom: before },
      { start: change, end, top: missing.bottom, bottom: DAY_MINUTES },
    ];
    return { ...whole, missing, stretches };
  }
  const repeated = { top: before - shift, bottom: before };
  const middle = before - shift / 2;
  const first = change - shift * MINUTE_MS;
  const second = change + shift * MINUTE_MS;
  const stretches = [
    { start, end: first, top: 0, bottom: repeated.top },
    { start: first, end: change, top: repeated.top, bottom: middle },
    { start: change, end: second, top: middle, bottom: repeated.bottom },
    { start: second, end, top: repeated.bottom, bottom: DAY_MINUTES },
  ];
  return { ...whole, repeated, stretches: stretches.filter((stretch) => stretch.end > stretch.start) };
}

/** The moment of a day at which the clock on the wall jumps. */
function findChange(start: number, end: number, zone: string): number {
  let [low, high] = [start, end];
  const isBefore = (moment: number): boolean => minuteOf(moment, zone) === (moment - start) / MINUTE_MS;
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / (2 * MINUTE_MS)) * MINUTE_MS;
    if (isBefore(middle)) low = middle;
    else high = middle;
  }
  return high;
}

/** The minute of the column that a moment stands at; what lies outside of the day is put to its edge. */
export function placeOf(scale: DayScale, moment: number): number {
  if (moment >= scale.end) return DAY_MINUTES;
  const stretch = scale.stretches.find(({ end }) => moment < end);
  if (!stretch || moment <= scale.start) return 0;
  const share = (moment - stretch.start) / (stretch.end - stretch.start);
  return stretch.top + share * (stretch.bottom - stretch.top);
}

/** The moment that stands at a minute of the column; in an hour that is left out, the moment after it. */
export function momentOf(scale: DayScale, minute: number): number {
  const stretch = scale.stretches.find(({ bottom }) => minute < bottom);
  if (!stretch) return scale.end;
  const share = Math.max(0, (minute - stretch.top) / (stretch.bottom - stretch.top));
  const moment = stretch.start + share * (stretch.end - stretch.start);
  return Math.round(moment / MINUTE_MS) * MINUTE_MS;
}
