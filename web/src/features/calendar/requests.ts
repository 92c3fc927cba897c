/** What the calendar asks the server for. */
import { api, unwrap, ApiError, type Schemas } from '$api/client';
import type { Day } from '$lib/zonedTime';

export type Calendar = Schemas['CalendarView'];
export type CalendarEvent = Schemas['EventView'];
export type Deletion = Schemas['DeletionView'];
export type DateReading = Schemas['DateReadingView'];
export type PreferredTime = Schemas['PartOfDay'];
/** Which times of a recurring event are meant. */
export type Scope = Schemas['Scope'];
export type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
export type WorkingHours = Record<Weekday, { start: string; end: string }[]>;
export type CalendarPreferences = Omit<Schemas['CalendarPreferencesView'], 'working_hours'> & {
  working_hours: WorkingHours;
};
/** All that people say of an event. */
export type EventBody = Omit<Schemas['NewEventBody'], 'calendar_id' | 'link' | 'status'> & {
  calendar_id: string;
};
export type EventChange = Partial<EventBody>;
export type CalendarChange = Partial<Schemas['CalendarChange']>;
export type NewAccount = Pick<Schemas['NewAccountBody'], 'url'> & Partial<Schemas['NewAccountBody']>;
export type AccountChange = Partial<Schemas['AccountChangeBody']>;

const until = (signal?: AbortSignal) => (signal ? { signal } : {});
const of = (calendar_id: string) => ({ params: { path: { calendar_id } } });
const ofAccount = (account_id: string) => ({ params: { path: { account_id } } });

export const listCalendars = async (): Promise<Calendar[]> =>
  (await unwrap(api.GET('/api/calendars'))).calendars;

export const createCalendar = (name: string, color: string) =>
  unwrap(api.POST('/api/calendars', { body: { kind: 'builtin', name, color } }));

/** Connect an account; the answer has all calendars that were found there. */
export const connectAccount = (account: NewAccount) =>
  unwrap(api.POST('/api/calendars', { body: { ...account, kind: 'caldav' } as Schemas['NewAccountBody'] }));

/** What is changed of the way to an account is tried first. */
export const changeAccount = (id: string, change: AccountChange) =>
  unwrap(
    api.PUT('/api/calendar/accounts/{account_id}', {
      ...ofAccount(id),
      body: change as Schemas['AccountChangeBody'],
    }),
  );

/** Forget an account with its calendars; on its server they stay. */
export const removeAccount = (id: string) =>
  unwrap(api.DELETE('/api/calendar/accounts/{account_id}', ofAccount(id)));

export const changeCalendar = (id: string, change: CalendarChange): Promise<Calendar> =>
  unwrap(api.PUT('/api/calendars/{calendar_id}', { ...of(id), body: change as Schemas['CalendarChange'] }));

export const deleteCalendar = (id: string): Promise<Deletion> =>
  unwrap(api.DELETE('/api/calendars/{calendar_id}', of(id)));

export const syncCalendar = (id: string) => unwrap(api.POST('/api/calendars/{calendar_id}/sync', of(id)));

export const importEvents = (id: string, ics: string) =>
  unwrap(api.POST('/api/calendars/{calendar_id}/import', { ...of(id), body: { ics } }));

/** The address of a calendar as a file; the browser saves it. */
export const exportHref = (id: string): string => `/api/calendars/${id}/export`;

export const createSubscription = (id: string) =>
  unwrap(api.POST('/api/calendars/{calendar_id}/subscription', of(id)));

export const revokeSubscription = (id: string) =>
  unwrap(api.DELETE('/api/calendars/{calendar_id}/subscription', of(id)));

/** The events of some days, of which the last is meant too, every time of a recurring one by itself. */
export async function listEvents(
  start: Day,
  end: Day,
  zone: string,
  signal?: AbortSignal,
): Promise<CalendarEvent[]> {
  const query = { start, end, zone };
  return (await unwrap(api.GET('/api/calendar/events', { params: { query }, ...until(signal) }))).events;
}

export function getEvent(event_id: string, recurrence_id: string | null): Promise<CalendarEvent> {
  const query = recurrence_id === null ? {} : { recurrence_id };
  return unwrap(api.GET('/api/calendar/events/{event_id}', { params: { path: { event_id }, query } }));
}

export const createEvent = (body: EventBody): Promise<CalendarEvent> =>
  unwrap(api.POST('/api/calendar/events', { body: body as Schemas['NewEventBody'] }));

export const changeEvent = (
  event: CalendarEvent,
  change: EventChange,
  scope: Scope,
): Promise<CalendarEvent> =>
  unwrap(
    api.PUT('/api/calendar/events/{event_id}', {
      params: { path: { event_id: event.id } },
      body: {
        ...change,
        scope,
        recurrence_id: event.recurrence_id,
        revision: event.revision,
      } as Schemas['EventChangeBody'],
    }),
  );

export const deleteEvent = (
  { id, recurrence_id, revision }: CalendarEvent,
  scope: Scope,
): Promise<Deletion> =>
  unwrap(
    api.DELETE('/api/calendar/events/{event_id}', {
      params: { path: { event_id: id }, query: { scope, recurrence_id, revision } },
    }),
  );

/** Tell whether somebody else was quicker. */
export const isLostRace = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'event_changed';

export const readDates = (text: string, zone: string, signal: AbortSignal): Promise<DateReading> =>
  unwrap(api.POST('/api/dates/read', { body: { text, zone } as Schemas['DateText'], signal }));

export const getPreferences = async (): Promise<CalendarPreferences> =>
  (await unwrap(api.GET('/api/calendar/preferences'))) as CalendarPreferences;

export const setPreferences = async (body: CalendarPreferences): Promise<CalendarPreferences> =>
  (await unwrap(api.PUT('/api/calendar/preferences', { body }))) as CalendarPreferences;
