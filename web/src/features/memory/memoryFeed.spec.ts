// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { api, type ConversationEvent } from '$api/client';
import { live } from '$live/connection.svelte';
import { memoryFeed } from './memoryFeed.svelte';

let tell: (event: ConversationEvent) => void = () => undefined;
let begin: () => void = () => undefined;
let close: () => void = () => undefined;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(live, 'subscribe').mockImplementation((listener) => {
    tell = listener;
    return () => undefined;
  });
  vi.spyOn(live, 'onBegin').mockImplementation((fetch) => {
    begin = fetch;
    return () => undefined;
  });
  const page = { data: { memories: [], next: null, waiting: 2 }, response: new Response() };
  vi.spyOn(api, 'GET').mockResolvedValue(page as never);
  close = memoryFeed.open();
});
afterEach(() => {
  close();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('knows how many proposals wait, from the beginning and from each event', async () => {
  begin();
  await vi.advanceTimersByTimeAsync(0);
  expect(memoryFeed.waiting).toBe(2);
  tell({ type: 'memories.changed', waiting: 0 });
  expect(memoryFeed.waiting).toBe(0);
  tell({ type: 'memories.changed', waiting: 5 });
  tell({ type: 'memories.changed', waiting: null });
  expect(memoryFeed.waiting).toBe(5);
});

it('has lists fetched once for changes that come together', async () => {
  const fetched = vi.fn();
  const end = memoryFeed.onChange(fetched);
  for (const waiting of [1, 2, 3]) tell({ type: 'memories.changed', waiting });
  await vi.advanceTimersByTimeAsync(200);
  expect(fetched).toHaveBeenCalledOnce();
  end();
  tell({ type: 'memories.changed', waiting: 1 });
  await vi.advanceTimersByTimeAsync(200);
  expect(fetched).toHaveBeenCalledOnce();
});
