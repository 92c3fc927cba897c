// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest';
import { api } from '$api/client';
import { MemoryList } from './memoryList.svelte';
import { RelatedMemories } from './relatedMemories.svelte';
import type { Memory } from './requests';

const ids = Array.from({ length: 275 }, (_, place) => `mem_${String(place).padStart(3, '0')}`);
const memory = (id: string, more: Partial<Memory> = {}): Memory =>
  ({ id, content: id, supersedes: null, superseded_by: null, ...more }) as Memory;
const ok = (data: unknown) => ({ data, response: new Response() });
const page = (after: string, limit: number) => {
  const found = ids.filter((id) => id > after).slice(0, limit);
  const next = found.at(-1) === ids.at(-1) ? null : found.at(-1);
  return ok({ memories: found.map((id) => memory(id)), next, waiting: 0 });
};
const limitOf = (options: unknown) =>
  (options as { params: { query: { limit: number } } }).params.query.limit;
const fetching = () =>
  vi
    .spyOn(api, 'GET')
    .mockImplementation(((
      _path: string,
      { params: { query } }: { params: { query?: { after: string; limit: number } } },
    ) => Promise.resolve(query ? page(query.after, query.limit) : ok(memory('mem_old')))) as never);

afterEach(() => vi.restoreAllMocks());

it('goes on where it ended with larger pages, and fetches nothing twice', async () => {
  const asked = fetching();
  const list = new MemoryList();
  await list.load({});
  while (list.hasMore) await list.loadMore();
  expect(list.items.map(({ id }) => id)).toEqual(ids);
  expect(asked.mock.calls.map((call) => limitOf(call[1]))).toEqual([30, 30, 60, 120, 200]);
});

it('keeps as many as there were when something has changed', async () => {
  fetching();
  const list = new MemoryList();
  await list.load({});
  await list.loadMore();
  await list.reload();
  expect(list.items).toHaveLength(60);
  await list.loadMore();
  expect(list.items.map(({ id }) => id)).toEqual(ids.slice(0, 120));
});

it('asks for the next page once, however often that is wanted', async () => {
  const asked = fetching();
  const list = new MemoryList();
  await list.load({});
  await Promise.all([list.loadMore(), list.loadMore()]);
  expect(list.items).toHaveLength(60);
  expect(asked).toHaveBeenCalledTimes(2);
});

it('fetches what is history once', async () => {
  const asked = fetching();
  const related = new RelatedMemories();
  const newer = [memory('mem_new', { supersedes: 'mem_old' })];
  for (let times = 0; times < 2; times++) await related.load(newer, new AbortController().signal);
  expect(related.find('mem_old')).toBeDefined();
  expect(asked).toHaveBeenCalledTimes(1);
});
