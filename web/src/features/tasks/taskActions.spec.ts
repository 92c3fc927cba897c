import { expect, it } from 'vitest';
import type { Task } from './requests';
import { groupByValues } from './taskActions';

it('gives back what tasks said before in one request for each group', () => {
  const task = (id: string, status: string): Task => ({ id, status, tags: [] as string[] }) as Task;
  const tasks = [task('a', 'done'), task('b', 'backlog'), task('c', 'done')];
  expect(groupByValues(tasks, ['status'])).toEqual([
    [['a', 'c'], { status: 'done' }],
    [['b'], { status: 'backlog' }],
  ]);
});
