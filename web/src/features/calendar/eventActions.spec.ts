import { afterEach, beforeEach, expect, it, vi, type MockInstance } from 'vitest';
import { api } from '$api/client';
import { toasts } from '$ui/toasts.svelte';
import { moveEvent } from './eventActions';
import { EventDialog } from './eventDialog.svelte';
import type { CalendarEvent, EventBody } from './requests';
import { scopeQuestion } from './scopeQuestion.svelte';
import { words } from './texts';

const dentist = {
  id: 'evt_1',
  revision: 1,
  recurrence_id: null,
  is_recurring: false,
  start: '2026-11-18T10:00:00+01:00',
  end: '2026-11-18T11:00:00+01:00',
  all_day: false,
} as CalendarEvent;
const at = (hour: number) => ({
  start: `2026-11-18T${hour}:00:00+01:00`,
  end: `2026-11-18T${hour + 1}:00:00+01:00`,
});
let put: MockInstance<(typeof api)['PUT']>;
let stored: CalendarEvent;
const answer = (data: unknown) => ({ data, response: new Response() }) as never;
const sent = () => put.mock.calls.map((call) => (call as unknown as [string, { body: EventBody }])[1].body);

beforeEach(() => {
  stored = dentist;
  put = vi.spyOn(api, 'PUT');
  put.mockImplementation((async (_: string, { body }: { body: CalendarEvent }) => {
    await Promise.resolve();
    if (body.revision !== stored.revision) {
      const error = { code: 'event_changed', message: 'It was changed.', type: 'conflict' };
      return { error: { error }, response: new Response(null, { status: 409 }) };
    }
    const { start = stored.start, end = stored.end } = body;
    stored = { ...stored, start, end, revision: stored.revision + 1 };
    return answer(stored);
  }) as never);
});
afterEach(() => {
  for (const { id } of toasts.list) toasts.dismiss(id);
  vi.restoreAllMocks();
});

it('moves an event again before the first move is answered or what is shown is fetched', async () => {
  const first = moveEvent(dentist, at(12), 'at noon');
  const second = moveEvent({ ...dentist, ...at(12) }, at(13), 'at one');
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(await moveEvent({ ...dentist, ...at(13) }, at(14), 'at two')).toBe(true);
  expect([stored.start, stored.revision]).toEqual([at(14).start, 4]);
  expect(toasts.list.map(({ text }) => text)).not.toContain(words.lostRace);
});

it('moves an event that was just written in its form', async () => {
  const texts = { title: 'Dinner', location: '', description: '', rrule: '', time_zone: 'Europe/Madrid' };
  const dinner: CalendarEvent = { ...dentist, ...texts, id: 'evt_3', reminders: [], transparent: false };
  stored = dinner;
  const dialog = new EventDialog();
  dialog.read(stored);
  dialog.edit('Europe/Madrid');
  expect(dialog.form && (await dialog.save({ ...dialog.form, title: 'Late dinner' }))).toBe(true);
  expect(await moveEvent(dinner, at(12), 'at noon')).toBe(true);
});

it('puts a whole series back by the time that it was moved by', async () => {
  const monday = { ...dentist, id: 'evt_2', is_recurring: true, recurrence_id: '20261116T100000' };
  stored = { ...monday, start: '2026-11-16T10:00:00+01:00', end: '2026-11-16T11:00:00+01:00' };
  const first = stored;
  vi.spyOn(api, 'GET').mockResolvedValue(answer(first));
  vi.spyOn(scopeQuestion, 'ask').mockResolvedValue('all');
  await moveEvent({ ...monday, recurrence_id: '20261118T100000' }, at(12), 'at noon');
  toasts.list.at(-1)?.action?.act();
  await vi.waitFor(() => expect(sent()).toHaveLength(2));
  expect(sent()[1]).toMatchObject({ start: first.start, end: first.end });
});
