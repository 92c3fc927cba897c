/** Events as they are drawn: in the person's zone, with the look of their calendar. */
import { daysText, momentsText, timeText, zoneText } from '$lib/dateWords';
import { addDays, DAY_MS, dayOf, daysBetween, type Day } from '$lib/zonedTime';
import { measureDay, placeOf, type DayScale } from './dayScale';
import type { Calendar, CalendarEvent } from './requests';

export interface ShownEvent {
  /** One time of a recurring event has a key of its own. */
  readonly key: string;
  readonly event: CalendarEvent;
  readonly calendar: Calendar | undefined;
  readonly color: string;
  /** Moments; of an all-day event those between which its days lie in the person's zone. */
  readonly start: number;
  readonly end: number;
  readonly firstDay: Day;
  /** The last of its days, which is meant too. */
  readonly lastDay: Day;
  /** Whether it is drawn as a bar across days instead of in the column of its hours. */
  readonly isBar: boolean;
  /** Whether it takes time: others are drawn lighter. */
  readonly isBlocking: boolean;
  readonly canWrite: boolean;
}

const DEFAULT_COLOR = '#4a7c86';

export const eventKey = ({ id, recurrence_id }: Pick<CalendarEvent, 'id' | 'recurrence_id'>): string =>
  `${id}/${recurrence_id ?? ''}`;

/** Prepare events for drawing; those of calendars that are hidden are left out. */
export function showEvents(
  events: readonly CalendarEvent[],
  calendars: readonly Calendar[],
  zone: string,
): ShownEvent[] {
  const byId = new Map(calendars.map((calendar) => [calendar.id, calendar]));
  return events
    .filter(({ calendar_id }) => byId.get(calendar_id)?.is_shown !== false)
    .map((event) => showEvent(event, byId.get(event.calendar_id), zone));
}

export function showEvent(event: CalendarEvent, calendar: Calendar | undefined, zone: string): ShownEvent {
  const times = event.all_day ? allDayTimes(event, zone) : timedTimes(event, zone);
  return {
    key: eventKey(event),
    event,
    calendar,
    color: calendar?.color || DEFAULT_COLOR,
    ...times,
    isBar: event.all_day || times.end - times.start >= DAY_MS,
    isBlocking: !event.transparent && event.status !== 'cancelled' && calendar?.is_blocking !== false,
    canWrite: calendar?.is_writable !== false,
  };
}

/** On the wire the end is the day after the last. */
function allDayTimes(event: CalendarEvent, zone: string) {
  const firstDay = event.start.slice(0, 10);
  const end = event.end.slice(0, 10);
  const lastDay = daysBetween(firstDay, end) > 0 ? addDays(end, -1) : firstDay;
  const [first, last] = [measureDay(firstDay, zone), measureDay(lastDay, zone)];
  return { start: first.start, end: last.end, firstDay, lastDay };
}

function timedTimes(event: CalendarEvent, zone: string) {
  const [start, end] = [Date.parse(event.start), Date.parse(event.end)];
  return { start, end, ...daysOf(start, end, zone) };
}

/** The days that a stretch of time touches; what ends at midnight does not touch the day after. */
export function daysOf(start: number, end: number, zone: string): { firstDay: Day; lastDay: Day } {
  return { firstDay: dayOf(start, zone), lastDay: dayOf(Math.max(start, end - 1), zone) };
}

/** A part of an event in the column of one day. */
export interface Segment {
  readonly shown: ShownEvent;
  readonly top: number;
  readonly bottom: number;
  /** Whether it begins on this day, and whether it ends on it. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** The parts of events that stand in the column of a day. */
export function segmentsOf(shown: readonly ShownEvent[], scale: DayScale): Segment[] {
  return shown
    .filter(({ isBar, firstDay, lastDay }) => !isBar && firstDay <= scale.day && lastDay >= scale.day)
    .map((event) => ({
      shown: event,
      top: placeOf(scale, event.start),
      bottom: placeOf(scale, event.end),
      isFirst: event.firstDay === scale.day,
      isLast: event.lastDay === scale.day,
    }));
}

/** When an event is, in full words. */
export const eventTimeText = ({ event, start, end, firstDay, lastDay }: ShownEvent, zone: string): string =>
  event.all_day ? daysText(firstDay, lastDay) : momentsText(start, end, zone);

/** When an event is by the clocks where it takes place; empty where they are the person's own. */
export function ownZoneText({ event, start, end }: ShownEvent, zone: string): string {
  const own = event.time_zone;
  if (event.all_day || !own || own === zone) return '';
  const isSame = timeText(start, own) === timeText(start, zone) && dayOf(start, own) === dayOf(start, zone);
  if (isSame && timeText(end, own) === timeText(end, zone)) return '';
  return `${timeText(start, own)} – ${timeText(end, own)} ${zoneText(own)}`;
}

/** The events of one day, what takes the whole day first. */
export const eventsOn = (shown: readonly ShownEvent[], day: Day): ShownEvent[] =>
  shown
    .filter(({ firstDay, lastDay }) => firstDay <= day && lastDay >= day)
    .toSorted((a, b) => Number(b.isBar) - Number(a.isBar) || a.start - b.start || a.end - b.end);
