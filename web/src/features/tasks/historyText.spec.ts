import { expect, it } from 'vitest';
import { describeChanges, type Names } from './historyText';

const names: Names = { project: () => 'Harbour', phase: () => undefined, person: () => 'Mara' };
const said = (name: string, before: unknown, after: unknown) =>
  describeChanges([{ name, before, after } as never], names)[0];

it('says what changed as people read it', () => {
  expect(said('status', 'backlog', 'in_progress')).toEqual({
    field: 'Status',
    before: 'Backlog',
    after: 'In progress',
  });
  expect(said('due_date', null, '2026-11-20')).toEqual({
    field: 'Due',
    before: 'none',
    after: 'Friday 20 November 2026',
  });
  expect(said('tags', ['a', 'b'], [])).toMatchObject({ before: '#a #b', after: 'none' });
  expect(said('duration_minutes', 30, 90)).toMatchObject({ before: '30 min', after: '1 h 30 min' });
  expect(said('assignee_id', null, 'usr_1')).toMatchObject({ after: 'Mara' });
  expect(said('phase_id', 'pha_1', null)).toMatchObject({ before: 'one that is gone' });
  expect(said('rrule', '', 'FREQ=DAILY')).toMatchObject({ after: 'Every day' });
});

it('does not repeat a long text, nor what goes without saying', () => {
  expect(said('description', 'a', 'b')).toEqual({ field: 'Description', before: '', after: 'rewritten' });
  expect(said('task_type', 'one_off', 'recurring')).toBeUndefined();
});
