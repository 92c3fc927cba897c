/** How the events of a week stand in a month, and how many have no room. */
import { daysBetween, type Day } from '$lib/zonedTime';
import { placeBars, type Bar } from './eventLayout';
import type { ShownEvent } from './shownEvents';

const WEEK_DAYS = 7;

export interface WeekItem {
  readonly event: ShownEvent;
  readonly first: number;
  readonly last: number;
}

/** Put the events of a week into lines: what takes days first, the rest by the clock on the day it begins. */
export function placeWeek(shown: readonly ShownEvent[], monday: Day): Bar<WeekItem>[] {
  const items = shown
    .map((event) => ({
      event,
      first: daysBetween(monday, event.firstDay),
      last: daysBetween(monday, event.isBar ? event.lastDay : event.firstDay),
    }))
    .filter(({ first, last }) => last >= 0 && first < WEEK_DAYS)
    .toSorted((a, b) => Number(b.event.isBar) - Number(a.event.isBar) || a.event.start - b.event.start);
  return placeBars(items, WEEK_DAYS);
}

/** The bars that have room in so many lines, and how many of each day have none: the last line says so. */
export function fitBars<T>(
  bars: readonly Bar<T>[],
  lines: number,
): { readonly drawn: Bar<T>[]; readonly hidden: number[] } {
  const isFull = weekDays.map((day) => bars.some((bar) => isOn(bar, day) && bar.line >= lines));
  const drawn = bars.filter(
    (bar) =>
      bar.line < lines - 1 ||
      (bar.line === lines - 1 && !isFull.slice(bar.first, bar.last + 1).includes(true)),
  );
  const hidden = weekDays.map((day) => bars.filter((bar) => isOn(bar, day) && !drawn.includes(bar)).length);
  return { drawn, hidden };
}

const weekDays = Array.from({ length: WEEK_DAYS }, (_, day) => day);

const isOn = ({ first, last }: Bar<unknown>, day: number): boolean => first <= day && last >= day;
