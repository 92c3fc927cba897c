import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { api } from '$api/client';
import type { Task } from '$features/tasks/requests';
import { toasts } from '$ui/toasts.svelte';
import { DayState } from './dayState.svelte';
import { ReplanState } from './replanState.svelte';

const MADRID = 'Europe/Madrid';
const task = { id: 'tsk_1', title: 'Order paint', duration_minutes: 45 } as Task;
const asked: { path: string; body: unknown }[] = [];
let answers: Record<string, unknown> = {};

const answer = (path: string, init?: { body?: unknown }) => {
  asked.push({ path, body: init?.body });
  return Promise.resolve({ data: answers[path], response: new Response() });
};

beforeEach(() => {
  asked.length = 0;
  for (const method of ['GET', 'POST', 'DELETE'] as const)
    vi.spyOn(api, method).mockImplementation(answer as never);
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const { id } of toasts.list) toasts.dismiss(id);
});

it('puts a task where it was suggested, and says when that is', async () => {
  const start = '2026-11-20T14:00:00+01:00';
  const end = '2026-11-20T14:45:00+01:00';
  answers = {
    '/api/today': { slots: [{ task_id: 'tsk_1', start, end }] },
    '/api/tasks/{task_id}/schedule': { task, event: { start, end } },
  };
  const day = new DayState();
  await day.load('2026-11-20', MADRID);
  await day.schedule(task, MADRID);
  expect(asked[1]).toEqual({ path: '/api/tasks/{task_id}/schedule', body: { start, duration_minutes: 45 } });
  expect(toasts.list.at(-1)?.text).toBe(
    '“Order paint” is on the calendar: Friday 20 November 2026, 14:00 – 14:45',
  );
  toasts.list.at(-1)?.action?.act();
  expect(asked.at(-1)?.path).toBe('/api/tasks/{task_id}/schedule');
});

it('shows what would move before anything does, and undoes all of it at once', async () => {
  answers = { '/api/calendar/replan': { id: 'rpl_1', moves: [{}, {}] } };
  const planning = new ReplanState();
  await planning.ask();
  expect([asked[0]?.body, planning.proposal?.moves.length]).toEqual([{ dry_run: true }, 2]);
  await planning.apply();
  expect([asked[1]?.body, planning.proposal]).toEqual([{ dry_run: false }, null]);
  expect(toasts.list.at(-1)?.text).toBe('2 tasks were moved.');
  toasts.list.at(-1)?.action?.act();
  expect(asked.at(-1)?.path).toBe('/api/calendar/replans/{replan_id}/undo');
});
