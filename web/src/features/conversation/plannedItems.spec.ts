import { describe, expect, it } from 'vitest';
import type { Reply } from '$api/client';
import {
  countPlanned,
  listWritten,
  plannedAction,
  plannedHref,
  plannedOwnTime,
  plannedTime,
  type WrittenItem,
} from './plannedItems';

const MADRID = 'Europe/Madrid';
const lunch: WrittenItem = {
  kind: 'event',
  id: 'evt_1',
  action: 'created',
  title: 'Lunch',
  start: '2026-11-20T13:00:00+01:00',
  end: '2026-11-20T14:00:00+01:00',
  time_zone: MADRID,
  recurrence_id: null,
  due_date: '',
};
const call = (...written: WrittenItem[]) => ({ written }) as Reply['tool_calls'][number];

describe('what was planned', () => {
  it('says weekday, date, time and zone', () => {
    expect(plannedTime(lunch, MADRID)).toBe('Friday 20 November 2026, 13:00 – 14:00 (Europe/Madrid)');
    expect(plannedTime(lunch, 'America/New_York')).toBe(
      'Friday 20 November 2026, 07:00 – 08:00 (America/New York)',
    );
    expect(plannedOwnTime(lunch, 'America/New_York')).toBe('13:00 Europe/Madrid');
    expect(plannedOwnTime(lunch, 'Europe/Paris')).toBe('');
  });

  it('says days alone where there is no time', () => {
    const trip = { ...lunch, start: '2026-11-20', end: '2026-11-23', time_zone: '' };
    expect(plannedTime(trip, MADRID)).toBe('Friday 20 November 2026 – Sunday 22 November 2026');
    const task = { ...lunch, kind: 'task' as const, start: '2026-11-20', end: '' };
    expect(plannedTime(task, MADRID)).toBe('From Friday 20 November 2026');
    expect(plannedTime({ ...task, due_date: '2026-11-20' }, MADRID)).toBe('Due Friday 20 November 2026');
    expect(plannedTime({ ...task, due_date: '2026-11-23' }, MADRID)).toBe(
      'From Friday 20 November 2026, due Monday 23 November 2026',
    );
    expect(plannedTime({ ...task, start: '' }, MADRID)).toBe('');
  });

  it('leads to the day of the event, or to the task', () => {
    expect(plannedHref(lunch, MADRID)).toBe('/calendar?date=2026-11-20&event=evt_1');
    expect(plannedHref({ ...lunch, start: '2026-11-20T00:30:00+01:00' }, 'America/New_York')).toContain(
      'date=2026-11-19',
    );
    expect(plannedHref({ ...lunch, kind: 'task', id: 'tsk_1' }, MADRID)).toBe('/tasks/tsk_1');
    expect(plannedHref({ ...lunch, action: 'deleted' }, MADRID)).toBeNull();
  });

  it('is one card for each thing, as it was last', () => {
    const moved = { ...lunch, action: 'changed', start: '2026-11-20T15:00:00+01:00' };
    const [item, ...others] = listWritten([call(lunch), call(moved)]);
    expect([item?.action, item?.start, others]).toEqual(['created', moved.start, []]);
    expect(listWritten([call(lunch), call({ ...lunch, action: 'deleted' })])[0]?.action).toBe('deleted');
    expect(countPlanned([call(lunch, moved), call({ ...lunch, kind: 'task', id: 'tsk_1' })])).toBe(2);
    expect(plannedAction({ ...lunch, action: 'tidied' })).toBe('Event changed');
  });
});
