/** An event as it stands in a form, and what of it the server is told. */
import { joinRule, splitRule, type RuleEnd } from '$lib/recurrenceRules';
import {
  addDays,
  clockMinutes,
  clockText,
  DAY_MINUTES,
  dayOf,
  isDay,
  minuteOf,
  momentAt,
  toRfc3339,
  type Day,
} from '$lib/zonedTime';
import { dayTimes, type Times } from './eventMoves';
import type { CalendarEvent, EventBody, EventChange } from './requests';

export interface EventForm {
  title: string;
  calendar_id: string;
  isAllDay: boolean;
  startDay: Day;
  startClock: string;
  /** The last day, which is meant too. */
  endDay: Day;
  endClock: string;
  zone: string;
  /** How often it repeats; empty where it does not. */
  rule: string;
  ruleEnd: RuleEnd;
  location: string;
  description: string;
  reminders: number[];
  transparent: boolean;
}

/** What is known of an event that does not exist yet. */
export interface EventDraft {
  readonly times: Times;
  readonly isAllDay?: boolean;
  readonly title?: string;
  readonly rule?: string;
}

const clockTimes = ({ start, end }: Times, zone: string) => ({
  startDay: dayOf(start, zone),
  startClock: clockText(minuteOf(start, zone)),
  endDay: dayOf(end, zone),
  endClock: clockText(minuteOf(end, zone)),
});

/** The form of an event that does not exist yet. */
export function newEventForm(draft: EventDraft, calendar_id: string, zone: string): EventForm {
  const { times, isAllDay = false } = draft;
  const { base, end } = splitRule(draft.rule ?? '');
  const clock = clockTimes(times, zone);
  return {
    title: draft.title ?? '',
    calendar_id,
    isAllDay,
    ...clock,
    ...(isAllDay ? { ...WORKING_MORNING, endDay: dayOf(Math.max(times.start, times.end - 1), zone) } : {}),
    zone,
    rule: base,
    ruleEnd: end,
    location: '',
    description: '',
    reminders: [],
    transparent: false,
  };
}

/** The clock that a day gets which is no longer taken as a whole. */
const WORKING_MORNING = { startClock: '09:00', endClock: '10:00' };

/** The form of an event as it is. */
export function eventForm(event: CalendarEvent, personZone: string): EventForm {
  const zone = event.time_zone || personZone;
  const { base, end } = splitRule(event.rrule);
  return {
    title: event.title,
    calendar_id: event.calendar_id,
    isAllDay: event.all_day,
    ...(event.all_day ? allDayClock(event) : clockTimes(momentsOf(event), zone)),
    zone,
    rule: base,
    ruleEnd: end,
    location: event.location,
    description: event.description,
    reminders: [...event.reminders],
    transparent: event.transparent,
  };
}

const momentsOf = ({ start, end }: CalendarEvent): Times => ({
  start: Date.parse(start),
  end: Date.parse(end),
});

function allDayClock({ start, end }: CalendarEvent) {
  const [startDay, after] = [start.slice(0, 10), end.slice(0, 10)];
  return { startDay, endDay: after > startDay ? addDays(after, -1) : startDay, ...WORKING_MORNING };
}

/** What is wrong with the times of a form; empty when nothing is. */
export function formProblem(form: EventForm): '' | 'day' | 'end' {
  if (!isDay(form.startDay) || !isDay(form.endDay)) return 'day';
  if (form.isAllDay) return form.endDay < form.startDay ? 'end' : '';
  const { start, end } = formTimes(form);
  return end < start ? 'end' : '';
}

/** From when to when a form says that something lasts. */
export function formTimes(form: EventForm): Times {
  if (form.isAllDay)
    return {
      start: momentAt(form.startDay, 0, form.zone),
      end: momentAt(form.endDay, DAY_MINUTES, form.zone),
    };
  return {
    start: momentAt(form.startDay, clockMinutes(form.startClock), form.zone),
    end: momentAt(form.endDay, clockMinutes(form.endClock), form.zone),
  };
}

/** Have something begin at another time: it lasts as long as before. */
export function moveStart(form: EventForm, startDay: Day, startClock: string): EventForm {
  if (!isDay(startDay) || !startClock) return { ...form, startDay, startClock };
  const lasted = isDay(form.startDay) && form.startClock ? duration(form) : 60;
  const end = clockMinutes(startClock) + lasted;
  return {
    ...form,
    startDay,
    startClock,
    endDay: addDays(startDay, Math.floor(end / DAY_MINUTES)),
    endClock: clockText(((end % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES),
  };
}

/** Minutes on the clock between the beginning and the end. */
function duration(form: EventForm): number {
  const days = (Date.parse(form.endDay) - Date.parse(form.startDay)) / (DAY_MINUTES * 60_000);
  return Math.max(0, days * DAY_MINUTES + clockMinutes(form.endClock) - clockMinutes(form.startClock));
}

/** Everything that a form says, as the server reads it. */
export function formBody(form: EventForm): EventBody {
  const { start, end } = formTimes(form);
  const times = form.isAllDay
    ? dayTimes(form.startDay, form.endDay)
    : { start: toRfc3339(start, form.zone), end: toRfc3339(end, form.zone), all_day: false };
  return {
    title: form.title.trim(),
    ...times,
    time_zone: form.isAllDay ? '' : form.zone,
    calendar_id: form.calendar_id,
    description: form.description,
    location: form.location.trim(),
    rrule: joinRule(form.rule, form.ruleEnd, form.isAllDay),
    transparent: form.transparent,
    reminders: form.reminders,
  };
}

/** Names of what belongs together: a time means little without the other. */
const TIMES: readonly (keyof EventBody)[] = ['start', 'end', 'all_day', 'time_zone'];

/** What a form changed: the rest may have been changed elsewhere. */
export function changedBody(before: EventForm, after: EventForm): EventChange {
  const [was, is] = [formBody(before), formBody(after)];
  const differs = (name: keyof EventBody): boolean => JSON.stringify(was[name]) !== JSON.stringify(is[name]);
  const hasMoved = TIMES.some(differs);
  const names = (Object.keys(is) as (keyof EventBody)[]).filter(
    (name) => differs(name) || (hasMoved && TIMES.includes(name)),
  );
  return Object.fromEntries(names.map((name) => [name, is[name]]));
}
