import { expect, it } from 'vitest';
import {
  columnQuery,
  countFilters,
  EMPTY_FILTER,
  isFiltered,
  parseTaskFilter,
  taskFilterHref,
  taskQuery,
  withoutFilter,
  type TaskFilter,
} from './taskFilter';

const viewer = { today: '2026-11-18', userId: 'usr_ada' };
const filter = (more: Partial<TaskFilter>): TaskFilter => ({ ...EMPTY_FILTER, ...more });
const read = (address: string) => parseTaskFilter(new URL(address, 'http://x').searchParams);

it('is kept in the address', () => {
  const wanted = filter({ view: 'board', priority: 'high', tag: 'café & co', due: 'week', project: 'none' });
  expect(taskFilterHref(EMPTY_FILTER)).toBe('/tasks');
  expect(read(taskFilterHref(wanted))).toEqual(wanted);
});

it('leaves out what cannot be meant', () => {
  expect(read('/tasks?view=circle&status=lost&due=never&sort=up')).toEqual(EMPTY_FILTER);
});

it('asks for what is left to do, unless something else is wanted', () => {
  expect(taskQuery(EMPTY_FILTER, viewer)).toEqual({ status: ['backlog', 'in_progress', 'blocked'] });
  expect(taskQuery(filter({ status: 'all' }), viewer)).toEqual({});
  expect(taskQuery(filter({ status: 'done', sort: 'newest' }), viewer)).toEqual({
    status: ['done'],
    sort: 'newest',
  });
});

it('reckons days from today', () => {
  const days = (due: TaskFilter['due']) => taskQuery(filter({ status: 'all', due }), viewer);
  expect(days('overdue')).toEqual({ due_before: '2026-11-17' });
  expect(days('today')).toEqual({ due_after: '2026-11-18', due_before: '2026-11-18' });
  expect(days('week')).toEqual({ due_after: '2026-11-18', due_before: '2026-11-24' });
});

it('knows who is meant by me, and tasks without a project', () => {
  expect(taskQuery(filter({ status: 'all', assignee: 'me', project: 'none' }), viewer)).toEqual({
    assignee_id: 'usr_ada',
    no_project: true,
  });
});

it('asks for each column of a board, whatever status the list shows', () => {
  expect(columnQuery(filter({ status: 'all', sort: 'due', tag: 'x' }), 'done', viewer)).toEqual({
    status: ['done'],
    tag: 'x',
  });
});

it('tells what narrows the list down', () => {
  const wanted = filter({ view: 'board', sort: 'due' });
  expect([isFiltered(wanted), countFilters(wanted)]).toEqual([false, 0]);
  expect(isFiltered({ ...wanted, text: 'x' })).toBe(true);
  expect(countFilters({ ...wanted, tag: 'x', status: 'done' })).toBe(2);
  expect(withoutFilter({ ...wanted, tag: 'x', text: 'y' })).toEqual(wanted);
});
