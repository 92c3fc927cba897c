import { expect, it } from 'vitest';
import { hrefOf, problemsOf, titleText, whenText } from './reminderWords';
import type { Reminder } from './requests';

const NOW = Date.parse('2027-03-01T09:50:00Z');
const event = (more: Partial<Reminder> = {}): Reminder => ({
  id: 'rem_1',
  kind: 'event',
  subject_id: 'evt_1',
  recurrence_id: null,
  title: 'Meeting',
  location: '',
  project_id: null,
  starts_at: '2027-03-01T10:00:00.000Z',
  day: '',
  minutes: 10,
  due_at: '2027-03-01T09:50:00.000Z',
  is_late: false,
  snoozed_until: null,
  dismissed_at: null,
  deliveries: [],
  ...more,
});

it.each([
  ['2027-03-01T10:00:00Z', 'Starts in 10 minutes'],
  ['2027-03-01T09:51:00Z', 'Starts in a minute'],
  ['2027-03-01T09:50:10Z', 'Starts now'],
  ['2027-03-01T10:50:00Z', 'Starts in an hour'],
  ['2027-03-01T12:50:00Z', 'Starts in 3 hours'],
  ['2027-03-01T09:45:00Z', 'Started 5 minutes ago'],
])('says when something at %s is', (starts_at, text) => {
  expect(whenText(event({ starts_at }), NOW)).toBe(text);
});

it('tells days of tasks and of events that last all day', () => {
  expect(whenText(event({ kind: 'task', starts_at: null, day: '2027-03-01' }), NOW)).toBe(
    'Due Monday 1 March 2027',
  );
  expect(whenText(event({ day: '2027-03-02' }), NOW)).toBe('Tuesday 2 March 2027');
});

it('tells what is far away by its time', () => {
  expect(whenText(event({ starts_at: '2027-03-08T10:00:00Z' }), NOW)).toContain('2027');
});

it('leads to what it is about', () => {
  expect(hrefOf(event())).toBe('/calendar?date=2027-03-01&event=evt_1');
  expect(hrefOf(event({ day: '2027-03-02', recurrence_id: '20270302' }))).toBe(
    '/calendar?date=2027-03-02&event=evt_1&time=20270302',
  );
  expect(hrefOf(event({ kind: 'task', subject_id: 'tsk_1' }))).toBe('/tasks/tsk_1');
  expect(titleText(event({ title: '' }))).toBe('Without a title');
});

it('tells what did not go out, and nothing of what did', () => {
  const deliveries: Reminder['deliveries'] = [
    { channel: 'app', status: 'sent', problem: '' },
    { channel: 'email', status: 'failed', problem: 'The mail server could not be reached.' },
    { channel: 'push', status: 'unknown', problem: 'Nobody knows.' },
  ];
  expect(problemsOf(event({ deliveries }))).toEqual([
    'By e-mail: Not sent. The mail server could not be reached.',
    'As a notification: Perhaps not sent. Nobody knows.',
  ]);
});
