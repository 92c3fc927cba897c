/** Days and moments in a time zone. A day is written `2026-11-20`; a moment is in milliseconds. */
import { CalendarDateTime, fromAbsolute, parseDate, toCalendarDate, toZoned } from '@internationalized/date';
import { addDays } from './days';

export { addDays, daysBetween } from './days';

/** A date without a time, such as `2026-11-20`. */
export type Day = string;

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
export const DAY_MINUTES = 1440;

export const addMonths = (day: Day, count: number): Day => parseDate(day).add({ months: count }).toString();

/** Which day of the week it is: 0 is Monday. */
export const weekdayOf = (day: Day): number => (new Date(day).getUTCDay() + 6) % 7;

/** The Monday of the week that a day is in. */
export const weekStart = (day: Day): Day => addDays(day, -weekdayOf(day));

export const monthStart = (day: Day): Day => `${day.slice(0, 7)}-01`;

/** The days from a first one on. */
export const listDays = (first: Day, count: number): Day[] =>
  Array.from({ length: count }, (_, index) => addDays(first, index));

/** Tell whether a text is a day of the calendar: the 31st of November is none. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  try {
    return parseDate(text).toString() === text;
  } catch {
    return false;
  }
}

export const dayOf = (moment: number, zone: string): Day =>
  toCalendarDate(fromAbsolute(moment, zone)).toString();

/** Minutes since midnight on the clock on the wall. */
export function minuteOf(moment: number, zone: string): number {
  const { hour, minute } = fromAbsolute(moment, zone);
  return hour * 60 + minute;
}

/**
 * The moment at which the clock on the wall shows so many minutes since midnight: the first where it shows
 * them twice, and an hour later where it never does. 1440 is the midnight that ends the day.
 */
export function momentAt(day: Day, minutes: number, zone: string): number {
  const shifted = parseDate(day).add({ days: Math.floor(minutes / DAY_MINUTES) });
  const rest = ((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  const wall = new CalendarDateTime(
    shifted.year,
    shifted.month,
    shifted.day,
    Math.floor(rest / 60),
    Math.floor(rest % 60),
  );
  return toZoned(wall, zone).toDate().getTime();
}

export const startOfDay = (day: Day, zone: string): number => momentAt(day, 0, zone);

/** The same time on the clock, so many days later. */
export const shiftDays = (moment: number, count: number, zone: string): number =>
  fromAbsolute(moment, zone).add({ days: count }).toDate().getTime();

/** A moment as it is written in a field for date and time: `2026-11-20T16:00`. */
export const toLocalText = (moment: number, zone: string): string =>
  `${dayOf(moment, zone)}T${clockText(minuteOf(moment, zone))}`;

/** The moment that a field for date and time means. */
export function fromLocalText(text: string, zone: string): number {
  const [day = '', clock = '00:00'] = text.split('T');
  return momentAt(day, clockMinutes(clock), zone);
}

/** Minutes since midnight as a clock shows them: `16:05`. */
export function clockText(minutes: number): string {
  const [hour, minute] = [Math.floor(minutes / 60), Math.floor(minutes % 60)];
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

export function clockMinutes(clock: string): number {
  const [hour = '0', minute = '0'] = clock.split(':');
  return Number(hour) * 60 + Number(minute);
}

/** A moment with the offset of a zone, as the server reads it: `2026-11-20T16:00:00+01:00`. */
export function toRfc3339(moment: number, zone: string): string {
  const { offset } = fromAbsolute(moment, zone);
  const local = new Date(moment + offset).toISOString().slice(0, 19);
  const minutes = Math.abs(offset) / MINUTE_MS;
  return `${local}${offset < 0 ? '-' : '+'}${clockText(minutes)}`;
}
