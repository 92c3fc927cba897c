import { expect, it } from 'vitest';
import type { Task } from './requests';
import { dueGroup, dueLabel, dueTone, durationText, groupByDue } from './taskDates';

const TODAY = '2026-11-18';
const task = (due_date: string | null, more: Partial<Task> = {}): Task =>
  ({ due_date, start_date: null, status: 'backlog', ...more }) as Task;

it('says how much a due date presses', () => {
  expect(dueTone(task('2026-11-17'), TODAY)).toBe('overdue');
  expect(dueTone(task('2026-11-17', { status: 'done' }), TODAY)).toBe('later');
  expect(dueTone(task('2026-11-18'), TODAY)).toBe('today');
  expect(dueTone(task(null, { start_date: '2026-11-01' }), TODAY)).toBe('later');
});

it('says when a task is due, or from when', () => {
  expect(dueLabel(task('2026-11-19'), TODAY)).toBe('Tomorrow');
  expect(dueLabel(task(null, { start_date: '2026-11-19' }), TODAY)).toBe('From tomorrow');
  expect(dueLabel(task(null, { start_date: '2026-11-20' }), TODAY)).toBe('From Friday');
  expect(dueLabel(task(null), TODAY)).toBe('');
});

it('parts a list by days', () => {
  const days = ['2026-11-01', '2026-11-17', '2026-11-18', '2026-11-20', '2026-12-20', null];
  const groups = groupByDue(
    days.map((day) => task(day)),
    TODAY,
  );
  expect(groups.map(({ group, tasks }) => [group, tasks.length])).toEqual([
    ['overdue', 2],
    ['today', 1],
    ['week', 1],
    ['later', 1],
    ['none', 1],
  ]);
  expect(dueGroup(task('2026-11-19'), TODAY)).toBe('tomorrow');
});

it('says how long something takes', () => {
  expect([5, 60, 90, 1500].map(durationText)).toEqual(['5 min', '1 h', '1 h 30 min', '25 h']);
});
