import { describe, expect, it } from 'vitest';
import { measureDay } from './dayScale';
import type { Calendar, CalendarEvent } from './requests';
import { eventsOn, eventTimeText, ownZoneText, segmentsOf, showEvent, showEvents } from './shownEvents';

const MADRID = 'Europe/Madrid';
const calendar = { id: 'cal_1', color: '#aa0000', is_shown: true, is_blocking: true } as Calendar;
const event = (values: Partial<CalendarEvent>): CalendarEvent =>
  ({
    id: 'evt_1',
    calendar_id: 'cal_1',
    title: 'Dentist',
    all_day: false,
    time_zone: MADRID,
    recurrence_id: null,
    transparent: false,
    status: 'confirmed',
    ...values,
  }) as CalendarEvent;
const show = (values: Partial<CalendarEvent>) => showEvent(event(values), calendar, MADRID);

describe('an event as it is drawn', () => {
  it('has its days in the zone of the person', () => {
    const late = show({ start: '2026-11-20T23:30:00Z', end: '2026-11-21T00:30:00Z' });
    expect([late.firstDay, late.lastDay, late.isBar]).toEqual(['2026-11-21', '2026-11-21', false]);
  });

  it('does not touch the day at whose midnight it ends', () => {
    const shown = show({ start: '2026-11-20T22:00:00Z', end: '2026-11-20T23:00:00Z' });
    expect(shown.lastDay).toBe('2026-11-20');
  });

  it('is a bar where it takes whole days', () => {
    const trip = show({ all_day: true, start: '2026-11-20', end: '2026-11-23', time_zone: '' });
    expect([trip.firstDay, trip.lastDay, trip.isBar]).toEqual(['2026-11-20', '2026-11-22', true]);
    expect(eventTimeText(trip, MADRID)).toBe('Friday 20 November 2026 – Sunday 22 November 2026');
    expect(show({ start: '2026-11-20T10:00:00Z', end: '2026-11-22T10:00:00Z' }).isBar).toBe(true);
  });

  it('is lighter where it takes no time', () => {
    const times = { start: '2026-11-20T10:00:00Z', end: '2026-11-20T11:00:00Z' };
    expect(show(times).isBlocking).toBe(true);
    expect(show({ ...times, transparent: true }).isBlocking).toBe(false);
    expect(showEvent(event(times), { ...calendar, is_blocking: false }, MADRID).isBlocking).toBe(false);
  });

  it('tells the time of its own zone where that is another', () => {
    const times = { start: '2026-11-20T15:00:00Z', end: '2026-11-20T16:00:00Z' };
    expect(ownZoneText(show(times), MADRID)).toBe('');
    expect(ownZoneText(show({ ...times, time_zone: 'America/New_York' }), MADRID)).toBe(
      '10:00 – 11:00 America/New York',
    );
    expect(ownZoneText(show({ ...times, time_zone: 'Europe/Paris' }), MADRID)).toBe('');
  });
});

it('leaves out what is in a hidden calendar', () => {
  const listed = [event({ start: '2026-11-20T15:00:00Z', end: '2026-11-20T16:00:00Z' })];
  expect(showEvents(listed, [calendar], MADRID)).toHaveLength(1);
  expect(showEvents(listed, [{ ...calendar, is_shown: false }], MADRID)).toEqual([]);
});

it('cuts an event over midnight into a part for each day', () => {
  const shown = [show({ start: '2026-11-20T21:00:00Z', end: '2026-11-21T01:00:00Z' })];
  const parts = ['2026-11-20', '2026-11-21', '2026-11-22'].map((day) =>
    segmentsOf(shown, measureDay(day, MADRID)).map(({ top, bottom, isFirst, isLast }) => [
      top,
      bottom,
      isFirst,
      isLast,
    ]),
  );
  expect(parts).toEqual([[[22 * 60, 1440, true, false]], [[0, 120, false, true]], []]);
});

it('lists whole days first, then by the clock', () => {
  const shown = [
    show({ id: 'b', start: '2026-11-20T15:00:00Z', end: '2026-11-20T16:00:00Z' }),
    show({ id: 'a', start: '2026-11-20T08:00:00Z', end: '2026-11-20T09:00:00Z' }),
    show({ id: 'c', all_day: true, start: '2026-11-19', end: '2026-11-21' }),
  ];
  expect(eventsOn(shown, '2026-11-20').map(({ event: { id } }) => id)).toEqual(['c', 'a', 'b']);
});
