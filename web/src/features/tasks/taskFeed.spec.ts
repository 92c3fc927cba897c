import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '$live/connection.svelte';
import { followTasks } from './taskFeed.svelte';

let begin: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(live, 'subscribe').mockReturnValue(() => undefined);
  vi.spyOn(live, 'onBegin').mockImplementation((fetch) => {
    begin = fetch;
    return () => undefined;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('fetches what changed before the feed began', () => {
  const fetch = vi.fn();
  const end = followTasks(fetch);
  begin();
  vi.runAllTimers();
  expect(fetch).toHaveBeenCalledOnce();
  end();
});
