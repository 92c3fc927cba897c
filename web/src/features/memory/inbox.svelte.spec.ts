// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { api } from '$api/client';
import { toasts } from '$ui/toasts.svelte';
import { Inbox } from './inbox.svelte';
import { memoryFeed } from './memoryFeed.svelte';
import type { Memory } from './requests';

const memory = (id: string): Memory => ({ id, content: `About ${id}`, evidence: null }) as Memory;
const ok = (data: unknown) => ({ data, response: new Response() });
const refused = (status: number, message: string) => ({
  error: { error: { code: 'refused', message } },
  response: new Response(null, { status }),
});

let there: Memory[] = [];
let inbox: Inbox;
const ids = () => inbox.list.items.map(({ id }) => id);

beforeEach(async () => {
  there = ['a', 'b', 'c'].map(memory);
  vi.spyOn(api, 'GET').mockImplementation((() =>
    Promise.resolve(ok({ memories: there, next: null, waiting: 3 }))) as unknown as typeof api.GET);
  vi.spyOn(api, 'POST').mockImplementation((() =>
    Promise.resolve(ok({ memories: [] }))) as unknown as typeof api.POST);
  inbox = new Inbox();
  await inbox.load();
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const { id } of toasts.list) toasts.dismiss(id);
});

it('begins at the first proposal, and stays within the list', () => {
  expect(inbox.current?.id).toBe('a');
  expect(inbox.move(-1)).toBe(false);
  inbox.move(1);
  inbox.move(1);
  expect(inbox.move(1)).toBe(false);
  expect(inbox.current?.id).toBe('c');
});

it('goes on with what follows the one that was decided about', async () => {
  inbox.move(1);
  await inbox.decide('approve', ['b']);
  expect([ids(), inbox.current?.id]).toEqual([['a', 'c'], 'c']);
  await inbox.decide('reject', ['c']);
  expect(inbox.current?.id).toBe('a');
});

it('stays at the proposal that is read when others come in before it', async () => {
  there = [memory('new'), ...there];
  await inbox.list.reload();
  expect(inbox.current?.id).toBe('a');
  await inbox.decide('approve', ['a']);
  there = [memory('newer'), ...there.filter(({ id }) => id !== 'a')];
  await inbox.list.reload();
  expect(inbox.current?.id).toBe('b');
});

it('stays where it is when others before it are decided about', async () => {
  inbox.move(1);
  inbox.move(1);
  inbox.selectAll(true);
  inbox.toggle('c');
  await inbox.decide('approve', inbox.selectedIds);
  expect([ids(), inbox.current?.id, inbox.selectedIds]).toEqual([['c'], 'c', []]);
});

it.each([404, 409])(
  'says that another device was faster (%i), and has the list fetched again',
  async (status) => {
    vi.mocked(api.POST).mockResolvedValue(refused(status, 'Too late.') as never);
    const fetched = vi.spyOn(memoryFeed, 'noteChange');
    expect(await inbox.decide('approve', ['a'])).toBe(false);
    expect(toasts.list.map(({ text }) => text)).toEqual(['Too late.']);
    expect(fetched).toHaveBeenCalledOnce();
  },
);

it('keeps its place when the one that it is at is gone from elsewhere', async () => {
  inbox.move(1);
  there = [memory('a'), memory('c')];
  await inbox.list.reload();
  expect(inbox.current?.id).toBe('c');
});
