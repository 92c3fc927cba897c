// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { api, type ConversationEvent } from '$api/client';
import { live } from '$live/connection.svelte';
import { toasts } from '$ui/toasts.svelte';
import { reminderFeed } from './reminderFeed.svelte';
import type { Reminder } from './requests';

vi.mock('$app/navigation', () => ({ goto: vi.fn() }));

const reminder = (id: string): Reminder => ({
  id,
  kind: 'task',
  subject_id: 'tsk_1',
  recurrence_id: null,
  title: `Task ${id}`,
  location: '',
  project_id: null,
  starts_at: null,
  day: '2027-03-01',
  minutes: 0,
  due_at: '2027-03-01T09:00:00.000Z',
  is_late: false,
  snoozed_until: null,
  dismissed_at: null,
  deliveries: [],
});
let waiting: Reminder[] = [];
let begin: () => void = () => undefined;
let tell: () => void = () => undefined;
let close: () => void = () => undefined;

beforeEach(() => {
  vi.useFakeTimers();
  waiting = [reminder('one')];
  vi.spyOn(live, 'subscribe').mockImplementation((listener) => {
    tell = () => listener({ type: 'reminder.due', id: 'x' } as unknown as ConversationEvent);
    return () => undefined;
  });
  vi.spyOn(live, 'onBegin').mockImplementation((fetch) => {
    begin = fetch;
    return () => undefined;
  });
  vi.spyOn(api, 'GET').mockImplementation((() =>
    Promise.resolve({ data: { waiting, recent: [] }, response: new Response() })) as never);
  vi.spyOn(toasts, 'show').mockImplementation(() => undefined);
  close = reminderFeed.open();
});
afterEach(() => {
  close();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(200);

it('counts what waits at the beginning, without a note for each', async () => {
  begin();
  await settle();
  expect(reminderFeed.waiting).toHaveLength(1);
  expect(toasts.show).not.toHaveBeenCalled();
});

it('says once what is new', async () => {
  begin();
  await settle();
  waiting = [reminder('two'), reminder('one')];
  tell();
  tell();
  await settle();
  expect(toasts.show).toHaveBeenCalledOnce();
  expect(vi.mocked(toasts.show).mock.calls[0]?.[0]).toBe('Task two · Due Monday 1 March 2027');
  tell();
  await settle();
  expect(toasts.show).toHaveBeenCalledOnce();
});

it('says of many at once how many there are', async () => {
  begin();
  await settle();
  waiting = ['two', 'three', 'four', 'five'].map(reminder);
  tell();
  await settle();
  expect(vi.mocked(toasts.show).mock.calls.map(([text]) => text)).toEqual([
    'Task two · Due Monday 1 March 2027',
    'Task three · Due Monday 1 March 2027',
    '4 reminders',
  ]);
});

it('takes away what was dismissed at once, and brings it back where that was refused', async () => {
  begin();
  await settle();
  const refused = { error: {}, response: new Response(null, { status: 503 }) };
  vi.spyOn(api, 'POST').mockResolvedValue(refused as never);
  const [first] = reminderFeed.waiting;
  if (!first) throw new Error('nothing waits');
  const dismissed = reminderFeed.dismiss(first);
  expect(reminderFeed.waiting).toEqual([]);
  await settle();
  await dismissed;
  expect(reminderFeed.waiting).toHaveLength(1);
});
