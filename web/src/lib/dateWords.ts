/** Days and times as the whole app says them: `Friday 20 November 2026, 16:00`. Like the server, whatever the browser. */
import { formatLongDay } from './days';
import { minuteOf, clockText, dayOf, startOfDay, type Day } from './zonedTime';

const LOCALE = 'en-GB';
const formatters = new Map<string, Intl.DateTimeFormat>();

function format(day: Day, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options);
  const known = formatters.get(key) ?? new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: 'UTC' });
  formatters.set(key, known);
  return known.format(new Date(day)).replaceAll(',', '');
}

export const weekdayName = (day: Day): string => format(day, { weekday: 'long' });

export const shortWeekdayName = (day: Day): string => format(day, { weekday: 'short' });

export const monthName = (day: Day): string => format(day, { month: 'long', year: 'numeric' });

/** `20 November 2026` */
export const dateText = (day: Day): string => format(day, { day: 'numeric', month: 'long', year: 'numeric' });

/** `20 Nov` */
export const shortDateText = (day: Day): string => format(day, { day: 'numeric', month: 'short' });

/** `Friday 20 November 2026` */
export const fullDateText = formatLongDay;

export const timeText = (moment: number, zone: string): string => clockText(minuteOf(moment, zone));

/** A zone as people read it. */
export const zoneText = (zone: string): string => zone.replaceAll('_', ' ');

/** Days of a range: `16 – 22 November 2026`, `28 September – 4 October 2026`. */
export function rangeText(first: Day, last: Day): string {
  if (first === last) return fullDateText(first);
  if (first.slice(0, 7) === last.slice(0, 7)) return `${Number(first.slice(8))} – ${dateText(last)}`;
  const isSameYear = first.slice(0, 4) === last.slice(0, 4);
  const begin = isSameYear ? format(first, { day: 'numeric', month: 'long' }) : dateText(first);
  return `${begin} – ${dateText(last)}`;
}

/** From when to when: `Friday 20 November 2026, 16:00 – 17:00`, over midnight with both days. */
export function momentsText(start: number, end: number, zone: string): string {
  const [first, last] = [dayOf(start, zone), dayOf(end, zone)];
  const begin = `${fullDateText(first)}, ${timeText(start, zone)}`;
  if (start === end) return begin;
  const endsAtMidnight = end === startOfDay(last, zone) && dayOf(end - 1, zone) === first;
  if (first === last || endsAtMidnight) return `${begin} – ${timeText(end, zone)}`;
  return `${begin} – ${fullDateText(last)}, ${timeText(end, zone)}`;
}

/** From which day to which, both meant: `Friday 20 November 2026 – Sunday 22 November 2026`. */
export const daysText = (first: Day, last: Day): string =>
  first === last ? fullDateText(first) : `${fullDateText(first)} – ${fullDateText(last)}`;
