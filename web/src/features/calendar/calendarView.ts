/** Which days the calendar shows, as the address says: `/calendar?view=week&date=2026-11-20`. */
import { monthName, rangeText } from '$lib/dateWords';
import {
  addDays,
  addMonths,
  daysBetween,
  isDay,
  listDays,
  monthStart,
  weekStart,
  type Day,
} from '$lib/zonedTime';

export const VIEWS = ['day', 'week', 'month', 'agenda'] as const;
export type View = (typeof VIEWS)[number];

export interface CalendarView {
  readonly view: View;
  readonly date: Day;
}

/** Days that the list shows at once. */
export const AGENDA_DAYS = 30;

/** Read the address; what it does not say is the usual view, and today. */
export function parseView(query: URLSearchParams, today: Day, usual: View): CalendarView {
  const [view, date] = [query.get('view') ?? '', query.get('date') ?? ''];
  return {
    view: (VIEWS as readonly string[]).includes(view) ? (view as View) : usual,
    date: isDay(date) ? date : today,
  };
}

export const viewHref = ({ view, date }: CalendarView): string => `/calendar?view=${view}&date=${date}`;

/** The days that are shown; in a month whole weeks. */
export function shownDays({ view, date }: CalendarView): Day[] {
  if (view === 'day') return [date];
  if (view === 'week') return listDays(weekStart(date), 7);
  if (view === 'agenda') return listDays(date, AGENDA_DAYS);
  const first = weekStart(monthStart(date));
  const weeks = Math.ceil(daysBetween(first, addMonths(monthStart(date), 1)) / 7);
  return listDays(first, weeks * 7);
}

/** The view so many steps later. */
export function stepView({ view, date }: CalendarView, steps: number): CalendarView {
  if (view === 'month') return { view, date: addMonths(monthStart(date), steps) };
  const days = { day: 1, week: 7, agenda: AGENDA_DAYS }[view];
  return { view, date: addDays(date, days * steps) };
}

/** What the days that are shown are called. */
export function viewTitle(shown: CalendarView): string {
  if (shown.view === 'month') return monthName(shown.date);
  const days = shownDays(shown);
  return rangeText(days[0] ?? shown.date, days.at(-1) ?? shown.date);
}

/** The address of an event, on the day that it is on. */
export const eventHref = (
  { id, recurrence_id }: { readonly id: string; readonly recurrence_id?: string | null },
  date: Day,
): string =>
  `/calendar?${new URLSearchParams({ date, event: id, ...(recurrence_id ? { time: recurrence_id } : {}) })}`;
