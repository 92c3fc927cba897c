/** Working hours as a form has them. */
import { clockMinutes, clockText, DAY_MINUTES } from '$lib/zonedTime';
import type { Weekday, WorkingHours } from './requests';

export const WEEKDAYS: readonly Weekday[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
];
export interface HoursSpan {
  start: string;
  end: string;
}
/** New hours last so long, and begin so long after those before. */
const NEW_SPAN_MINUTES = 4 * 60;
const NEW_SPAN_GAP_MINUTES = 60;

/** Add hours after those of a day. */
export function addSpan(spans: readonly HoursSpan[]): HoursSpan[] {
  const last = spans.at(-1);
  if (!last) return [{ start: '09:00', end: '17:00' }];
  const start = Math.min(endMinutes(last.end) + NEW_SPAN_GAP_MINUTES, DAY_MINUTES - NEW_SPAN_GAP_MINUTES);
  const end = Math.min(start + NEW_SPAN_MINUTES, DAY_MINUTES - 1);
  return [...spans, { start: clockText(start), end: clockText(end) }];
}

/** Tell whether the hours of every day end after they begin, one after the other. */
export const areHoursValid = (hours: WorkingHours): boolean =>
  WEEKDAYS.every((day) => isDayValid(hours[day]));

function isDayValid(spans: readonly HoursSpan[]): boolean {
  const sorted = spans.toSorted((a, b) => clockMinutes(a.start) - clockMinutes(b.start));
  return sorted.every(({ start, end }, index) => {
    const next = sorted[index + 1];
    return (
      start !== '' &&
      end !== '' &&
      clockMinutes(start) < endMinutes(end) &&
      (!next || endMinutes(end) <= clockMinutes(next.start))
    );
  });
}

/** Midnight ends a day. */
const endMinutes = (end: string): number => clockMinutes(end) || DAY_MINUTES;
