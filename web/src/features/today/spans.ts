/** Spans of time as Today says them. */
import { fullDateText, momentsText, timeText } from '$lib/dateWords';
import { dayOf, type Day } from '$lib/zonedTime';

interface Span {
  readonly start: string;
  readonly end: string;
}

/** When something would be done, on a day that is shown: `at 14:00`, or with its day where that is another. */
export function slotText({ start }: Pick<Span, 'start'>, day: Day, zone: string): string {
  const moment = Date.parse(start);
  const time = timeText(moment, zone);
  return dayOf(moment, zone) === day ? `at ${time}` : `on ${fullDateText(dayOf(moment, zone))}, ${time}`;
}

/** What takes the whole day first, the rest by the clock. */
export const sortEvents = <T extends Span & { readonly all_day: boolean }>(events: readonly T[]): T[] =>
  events.toSorted(
    (a, b) => Number(b.all_day) - Number(a.all_day) || Date.parse(a.start) - Date.parse(b.start),
  );

export const spanText = ({ start, end }: Span, zone: string): string =>
  momentsText(Date.parse(start), Date.parse(end), zone);
