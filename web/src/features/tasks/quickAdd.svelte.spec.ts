// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi, type MockInstance } from 'vitest';
import { api } from '$api/client';
import { QuickAdd, readingDays } from './quickAdd.svelte';
import { words } from './texts';
import { toasts } from '$ui/toasts.svelte';

const answer = (data: unknown, status = 200) =>
  ({ data, error: undefined, response: new Response(null, { status }) }) as never;
const tomorrow = {
  start: '2026-11-19',
  end: null,
  all_day: true,
  rrule: '',
  said: 'tomorrow',
  rest: 'Call Mara',
  reading: 'Thursday 19 November 2026',
};
let asked: MockInstance<(typeof api)['POST']>;
let reading: unknown = tomorrow;
const saved = () =>
  (asked.mock.calls as unknown[][]).filter((call) => call[0] === '/api/tasks').map((call) => call[1]);

beforeEach(() => {
  vi.useFakeTimers();
  reading = tomorrow;
  asked = vi.spyOn(api, 'POST');
  asked.mockImplementation(((path: string, { body }: { body: object }) => {
    if (path === '/api/dates/read') return Promise.resolve(answer(reading, reading ? 200 : 422));
    return Promise.resolve(answer({ id: 'tsk_1', duration_minutes: null, ...body }));
  }) as never);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const begin = (text: string): QuickAdd => {
  const line = new QuickAdd(() => 'Europe/Madrid');
  line.type(text);
  return line;
};

it('shows the day that was read, and saves it', async () => {
  const line = begin('Call Mara tomorrow !high #home');
  await vi.advanceTimersByTimeAsync(200);
  expect([line.title, line.reading?.reading]).toEqual(['Call Mara', 'Thursday 19 November 2026']);
  expect(await line.submit({ project_id: 'prj_1', tags: ['x'] })).not.toBeNull();
  expect(saved()).toEqual([
    {
      body: {
        title: 'Call Mara',
        due_date: '2026-11-19',
        priority: 'high',
        tags: ['x', 'home'],
        project_id: 'prj_1',
      },
    },
  ]);
  expect(line.text).toBe('');
});

it('saves no day that the person has not seen', async () => {
  const line = begin('Call Mara tomorrow');
  expect(await line.submit()).toBeNull();
  expect([line.isUnseen, saved()]).toEqual([true, []]);
  expect(await line.submit()).not.toBeNull();
  expect(saved()).toHaveLength(1);
});

it('saves at once where there is no day', async () => {
  reading = null;
  const line = begin('Call Mara');
  expect(await line.submit()).not.toBeNull();
  expect(saved()).toEqual([{ body: { title: 'Call Mara', tags: [] } }]);
});

it('keeps words in the title that are no day after all', async () => {
  const line = begin('Call Mara tomorrow');
  await vi.advanceTimersByTimeAsync(200);
  line.ignoreReading();
  expect([line.title, line.reading]).toEqual(['Call Mara tomorrow', null]);
});

it('puts what has a time on the calendar', async () => {
  reading = { ...tomorrow, start: '2026-11-19T16:00:00+01:00', all_day: false };
  const line = begin('Call Mara tomorrow at 4 for 20 minutes');
  await vi.advanceTimersByTimeAsync(200);
  asked.mockResolvedValueOnce(answer({ id: 'tsk_1', duration_minutes: 20 }));
  await line.submit();
  expect(asked.mock.calls.at(-1)).toEqual([
    '/api/tasks/{task_id}/schedule',
    {
      params: { path: { task_id: 'tsk_1' } },
      body: { start: '2026-11-19T16:00:00+01:00', pinned: true, duration_minutes: 20 },
    },
  ]);
});

it('says what lies at the time that was named, and puts the task there if that was meant', async () => {
  reading = { ...tomorrow, start: '2026-11-19T16:00:00+01:00', all_day: false };
  const line = begin('Call Mara tomorrow at 4');
  await vi.advanceTimersByTimeAsync(200);
  asked.mockResolvedValueOnce(answer({ id: 'tsk_1', duration_minutes: null }));
  const refused = { error: { code: 'time_taken', message: 'That overlaps “Trip”.', type: 'conflict' } };
  asked.mockResolvedValueOnce({ error: refused, response: new Response(null, { status: 409 }) } as never);
  expect((await line.submit())?.id).toBe('tsk_1');
  const [told] = toasts.list;
  expect([told?.text, told?.action?.label]).toEqual(['That overlaps “Trip”.', words.scheduleAnyway]);
  told?.action?.act();
  expect(asked.mock.calls.at(-1)?.[1]).toMatchObject({
    body: { start: '2026-11-19T16:00:00+01:00', pinned: true, allow_overlap: true },
  });
});

it('wants to know what there is to do', async () => {
  reading = { ...tomorrow, rest: '' };
  const line = begin('tomorrow');
  await vi.advanceTimersByTimeAsync(200);
  expect(await line.submit()).toBeNull();
  expect(line.problem).toBe(words.needsTitle);
});

it('takes several days as the first and the last', () => {
  const days = { start: '2026-11-23', end: '2026-11-30', all_day: true, rrule: '' };
  expect(readingDays(days)).toEqual({ start_date: '2026-11-23', due_date: '2026-11-29' });
  expect(readingDays({ ...days, end: null, rrule: 'FREQ=WEEKLY' })).toEqual({
    due_date: '2026-11-23',
    rrule: 'FREQ=WEEKLY',
  });
});
