// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { api } from '$api/client';
import { toasts } from '$ui/toasts.svelte';
import { confirmStillHolds, removeMemory } from './memoryActions';
import type { Memory } from './requests';

const evidence = {
  conversation_id: 'cnv_1',
  message_id: 'msg_1',
  start_char: 0,
  end_char: 16,
  quote: 'I live in Porto.',
};
const memory = {
  id: 'mem_1',
  type: 'fact',
  content: 'Lives in Porto',
  category: 'home',
  confidence: 0.8,
  pinned: true,
  local_only: true,
  project_id: null,
  status: 'active',
  evidence,
} as Memory;
const ok = (data: unknown) => ({ data, response: new Response() });
const deletion = { id: 'del_1', restore_until: '2026-11-18T12:00:30.000Z' };

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(api, 'POST').mockResolvedValue(ok(memory) as never);
});
afterEach(() => {
  for (const { id } of toasts.list) toasts.dismiss(id);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const undo = async () => {
  toasts.list.at(-1)?.action?.act();
  await vi.advanceTimersByTimeAsync(0);
};
const asked = () => vi.mocked(api.POST).mock.calls.map((call) => call[0]);

it.each(['active', 'superseded', 'archived'] as const)(
  'is deleted with a way back where it is %s',
  async (status) => {
    vi.mocked(api.POST).mockResolvedValueOnce(ok(deletion) as never);
    expect(await removeMemory({ ...memory, status })).toBe(true);
    await undo();
    expect(asked()).toEqual(['/api/memories/{memory_id}/deletion', '/api/deletions/{deletion_id}/restore']);
    expect(toasts.list.at(-1)?.text).toBe('It is remembered again.');
  },
);

it('stays where the server refuses to delete it', async () => {
  const refused = {
    error: { error: { code: 'not_allowed', message: 'No.' } },
    response: new Response(null, { status: 403 }),
  };
  vi.mocked(api.POST).mockResolvedValueOnce(refused as never);
  expect(await removeMemory(memory)).toBe(false);
  expect(toasts.list.at(-1)?.text).toBe('No.');
});

it('still holds once a person says so', async () => {
  expect(await confirmStillHolds(memory)).toEqual(memory);
  expect(vi.mocked(api.POST).mock.calls[0]?.[0]).toBe('/api/memories/{memory_id}/confirm');
  expect(toasts.list.at(-1)?.text).toContain('still holds');
});
