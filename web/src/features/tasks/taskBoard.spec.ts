// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest';
import { api } from '$api/client';
import { toasts } from '$ui/toasts.svelte';
import type { Task, TaskStatus } from './requests';
import { TaskBoard } from './taskBoard.svelte';
import { EMPTY_FILTER } from './taskFilter';

const task = (id: string, status: TaskStatus): Task => ({ id, status, title: id }) as Task;
const answer = (data: unknown, status = 200) =>
  Promise.resolve({ data, response: new Response(null, { status }) }) as never;
const shown = (board: TaskBoard) =>
  board.columns.map(({ list }) => list.items.map(({ id }) => id).join('')).join('|');

async function open(): Promise<TaskBoard> {
  const all = [task('a', 'backlog'), task('b', 'backlog'), task('c', 'in_progress')];
  vi.spyOn(api, 'GET').mockImplementation(((
    _path: string,
    { params }: { params: { query: { status: string[] } } },
  ) =>
    answer({
      tasks: all.filter(({ status }) => params.query.status.includes(status)),
      next: null,
    })) as never);
  const board = new TaskBoard();
  await board.load(EMPTY_FILTER, { today: '2026-11-18', userId: 'usr_1' });
  return board;
}

afterEach(() => vi.restoreAllMocks());

it('has a column for each status', async () => {
  expect(shown(await open())).toBe('ab|c||');
});

it('moves a task at once, and asks for the same place', async () => {
  const board = await open();
  const asked = vi.spyOn(api, 'POST').mockReturnValue(answer(task('a', 'in_progress')));
  const moving = board.move(task('a', 'backlog'), 'in_progress', 'c');
  expect(shown(board)).toBe('b|ca||');
  expect(await moving).toBe(true);
  expect(asked).toHaveBeenCalledWith('/api/tasks/{task_id}/move', {
    params: { path: { task_id: 'a' } },
    body: { after: 'c', status: 'in_progress' },
  });
});

it('goes back where the server refuses, and says why', async () => {
  const board = await open();
  const said = vi.spyOn(toasts, 'showError');
  vi.spyOn(api, 'POST').mockReturnValue(answer(undefined, 404));
  expect(await board.move(task('a', 'backlog'), 'done', null)).toBe(false);
  await vi.waitFor(() => expect(shown(board)).toBe('ab|c||'));
  expect(said).toHaveBeenCalledOnce();
});

it('moves by steps, until there is no place', async () => {
  const board = await open();
  vi.spyOn(api, 'POST').mockReturnValue(answer(task('a', 'backlog')));
  expect(board.step(task('a', 'backlog'), -1)).toBe(false);
  expect(board.shift(task('a', 'backlog'), -1)).toBe(false);
  const moving = board.step(task('a', 'backlog'), 1);
  expect(shown(board)).toBe('ba|c||');
  await moving;
});
