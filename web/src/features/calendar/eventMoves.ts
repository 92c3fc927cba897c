/** What becomes of an event's times when it is dragged, stretched or moved with keys. */
import {
  addDays,
  dayOf,
  daysBetween,
  minuteOf,
  MINUTE_MS,
  momentAt,
  shiftDays,
  toRfc3339,
  type Day,
} from '$lib/zonedTime';
import type { EventChange } from './requests';
import type { ShownEvent } from './shownEvents';

/** Times are moved and chosen by quarters of an hour. */
export const STEP_MINUTES = 15;
const STEP_MS = STEP_MINUTES * MINUTE_MS;

/** From when to when; of an all-day event the moments at which its days begin and end. */
export interface Times {
  readonly start: number;
  readonly end: number;
}

export const snap = (minutes: number): number => Math.round(minutes / STEP_MINUTES) * STEP_MINUTES;

/** Drag an event so many days to the right and so many minutes down; it keeps how long it takes. */
export function dragEvent(shown: ShownEvent, days: number, minutes: number, zone: string): Times {
  if (shown.event.all_day) return shiftAllDay(shown, days, days, zone);
  const start = dragMoment(shown.start, days, minutes, zone);
  return { start, end: start + (shown.end - shown.start) };
}

/** A moment so many days and minutes of the clock later; one that moves on the clock ends on a quarter. */
function dragMoment(moment: number, days: number, minutes: number, zone: string): number {
  if (snap(minutes) === 0) return shiftDays(moment, days, zone);
  return momentAt(addDays(dayOf(moment, zone), days), snap(minuteOf(moment, zone) + minutes), zone);
}

/** Drag the end of an event to a moment; it stays after the beginning. */
export const dragEnd = ({ start }: Times, end: number): Times => ({
  start,
  end: Math.max(end, start + STEP_MS),
});

/** Drag the beginning of an event to a moment; it stays before the end. */
export const dragStart = ({ end }: Times, start: number): Times => ({
  start: Math.min(start, end - STEP_MS),
  end,
});

/** What lies between two moments that were dragged over, in either direction; at least one step. */
export const dragOver = (from: number, to: number): Times => ({
  start: Math.min(from, to),
  end: Math.max(from, to, Math.min(from, to) + STEP_MS),
});

function shiftAllDay(shown: ShownEvent, first: number, last: number, zone: string): Times {
  const begin = addDays(shown.firstDay, first);
  const end = addDays(shown.lastDay, last);
  const late = daysBetween(begin, end) < 0 ? begin : end;
  return { start: momentAt(begin, 0, zone), end: momentAt(addDays(late, 1), 0, zone) };
}

export interface KeyMove {
  /** Change only when it ends. */
  readonly isStretch: boolean;
  readonly days: number;
  readonly steps: number;
}

/** What an arrow key means: across days, along the hours, or weeks where there are no hours. */
export function keyMove(key: string, isStretch: boolean, hasHours: boolean): KeyMove | null {
  const days = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (days) return { isStretch, days, steps: 0 };
  const down = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (!down) return null;
  return hasHours ? { isStretch, days: 0, steps: down } : { isStretch, days: 7 * down, steps: 0 };
}

/** Move or stretch an event by keys. */
export function moveByKey(shown: ShownEvent, { isStretch, days, steps }: KeyMove, zone: string): Times {
  if (shown.event.all_day) return shiftAllDay(shown, isStretch ? 0 : days, days, zone);
  const later = (moment: number): number => shiftDays(moment, days, zone) + steps * STEP_MS;
  if (isStretch) return dragEnd(shown, later(shown.end));
  const start = later(shown.start);
  return { start, end: start + (shown.end - shown.start) };
}

/** What the server is told of new times: days of an all-day event, else moments in the event's own zone. */
export function timesChange({ start, end }: Times, shown: ShownEvent, zone: string): EventChange {
  if (shown.event.all_day) return dayTimes(dayOf(start, zone), dayOf(end - 1, zone));
  const own = shown.event.time_zone || zone;
  return { start: toRfc3339(start, own), end: toRfc3339(end, own) };
}

/** All-day times as the wire has them: the end is the day after the last. */
export const dayTimes = (first: Day, last: Day): { start: string; end: string; all_day: true } => ({
  start: first,
  end: addDays(last, 1),
  all_day: true,
});
