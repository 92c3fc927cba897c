import { describe, expect, it } from 'vitest';
import { changedBody, eventForm, formBody, formProblem, moveStart, newEventForm } from './eventForm';
import type { CalendarEvent } from './requests';

const MADRID = 'Europe/Madrid';
const hour = { start: Date.parse('2026-11-20T15:00:00Z'), end: Date.parse('2026-11-20T16:00:00Z') };
const event = (values: Partial<CalendarEvent>): CalendarEvent =>
  ({
    title: 'Dentist',
    calendar_id: 'cal_1',
    all_day: false,
    time_zone: MADRID,
    rrule: '',
    location: '',
    description: '',
    reminders: [],
    transparent: false,
    ...values,
  }) as CalendarEvent;

describe('a new event', () => {
  it('is told to the server in the zone of the person', () => {
    const form = { ...newEventForm({ times: hour }, 'cal_1', MADRID), title: ' Lunch ' };
    expect(formBody(form)).toMatchObject({
      title: 'Lunch',
      start: '2026-11-20T16:00:00+01:00',
      end: '2026-11-20T17:00:00+01:00',
      all_day: false,
      time_zone: MADRID,
      calendar_id: 'cal_1',
    });
  });

  it('that takes whole days ends on the day after the last', () => {
    const days = { start: Date.parse('2026-11-19T23:00:00Z'), end: Date.parse('2026-11-21T23:00:00Z') };
    const form = newEventForm({ times: days, isAllDay: true }, 'cal_1', MADRID);
    expect([form.startDay, form.endDay]).toEqual(['2026-11-20', '2026-11-21']);
    expect(formBody(form)).toMatchObject({ start: '2026-11-20', end: '2026-11-22', time_zone: '' });
  });
});

describe('an event that is there', () => {
  const before = eventForm(
    event({ start: '2026-11-20T15:00:00Z', end: '2026-11-20T16:00:00Z', time_zone: 'America/New_York' }),
    MADRID,
  );

  it('stands in its form by the clocks where it takes place', () => {
    expect([before.startClock, before.endClock, before.zone]).toEqual(['10:00', '11:00', 'America/New_York']);
  });

  it('sends what was changed alone, and times together', () => {
    expect(changedBody(before, before)).toEqual({});
    expect(changedBody(before, { ...before, location: 'Room 2' })).toEqual({ location: 'Room 2' });
    expect(changedBody(before, { ...before, endClock: '11:30' })).toEqual({
      start: '2026-11-20T10:00:00-05:00',
      end: '2026-11-20T11:30:00-05:00',
      all_day: false,
      time_zone: 'America/New_York',
    });
  });

  it('keeps until when it repeats', () => {
    const weekly = eventForm(
      event({ start: '2026-11-20', end: '2026-11-21', all_day: true, rrule: 'FREQ=WEEKLY;COUNT=4' }),
      MADRID,
    );
    expect([weekly.rule, weekly.ruleEnd]).toEqual(['FREQ=WEEKLY', { kind: 'count', count: 4 }]);
    expect(formBody(weekly).rrule).toBe('FREQ=WEEKLY;COUNT=4');
  });
});

describe('the times of a form', () => {
  const form = newEventForm({ times: hour }, 'cal_1', MADRID);

  it('keep how long it lasts when the beginning moves, over midnight too', () => {
    expect(moveStart(form, '2026-11-21', '23:30')).toMatchObject({ endDay: '2026-11-22', endClock: '00:30' });
    expect(moveStart({ ...form, endDay: '2026-11-23' }, '2026-12-31', '16:00')).toMatchObject({
      endDay: '2027-01-03',
      endClock: '17:00',
    });
  });

  it('are refused where the end comes first, or a day does not exist', () => {
    expect(formProblem(form)).toBe('');
    expect(formProblem({ ...form, endClock: '15:00' })).toBe('end');
    expect(formProblem({ ...form, startDay: '2026-02-31' })).toBe('day');
    expect(formProblem({ ...form, isAllDay: true, endDay: '2026-11-19' })).toBe('end');
  });
});
