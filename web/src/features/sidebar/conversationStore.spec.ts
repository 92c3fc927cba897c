// @vitest-environment jsdom
import { api, type Conversation, type ConversationEvent } from '$api/client';
import { readOfflineCache } from '$features/session/offlineCache';
import { live } from '$live/connection.svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ConversationStore } from './conversationStore.svelte';

const titled = (id: string, sort_key: string) =>
  ({
    id,
    title: id,
    sort_key,
    pinned: false,
    archived: false,
    updated_at: '2026-03-01T10:00:00Z',
  }) as Conversation;

let tell: (event: ConversationEvent) => void = () => undefined;
let begin: () => void = () => undefined;
let answer: (listed: Conversation[] | Error) => Promise<void> = () => Promise.resolve();

beforeEach(() => {
  vi.spyOn(live, 'subscribe').mockImplementation((listener) => {
    tell = listener;
    return () => undefined;
  });
  vi.spyOn(live, 'onBegin').mockImplementation((fetch) => {
    begin = fetch;
    return () => undefined;
  });
  vi.spyOn(api, 'GET').mockImplementation(((_: string, asked: { params: { query: { pinned: boolean } } }) => {
    const page = (conversations: Conversation[]) => ({
      data: { conversations, next: null },
      response: new Response(),
    });
    if (asked.params.query.pinned) return Promise.resolve(page([]));
    return new Promise((resolve, reject) => {
      answer = (listed) => {
        if (listed instanceof Error) reject(listed);
        else resolve(page(listed));
        return new Promise((settled) => setTimeout(settled));
      };
    });
  }) as unknown as typeof api.GET);
});
afterEach(() => vi.restoreAllMocks());

it('keeps what was heard while an older list was on its way', async () => {
  const store = new ConversationStore();
  store.open();
  begin();
  tell({ type: 'conversation.changed', conversation: titled('new', '3') });
  tell({ type: 'conversation.deleted', conversation_id: 'gone' });
  await answer([titled('gone', '2'), titled('old', '1')]);
  expect(store.items.map(({ id }) => id)).toEqual(['new', 'old']);
});

it('takes a later list as it is', async () => {
  const store = new ConversationStore();
  store.open();
  begin();
  await answer([titled('old', '1')]);
  tell({ type: 'conversation.changed', conversation: titled('new', '3') });
  begin();
  await answer([titled('old', '1')]);
  expect(store.items.map(({ id }) => id)).toEqual(['old']);
});

it('shows the list of before, with what was heard since, where the server cannot be reached', async () => {
  const first = new ConversationStore();
  first.open();
  begin();
  await answer([titled('second', '2'), titled('first', '1')]);
  const store = new ConversationStore();
  store.open();
  begin();
  tell({ type: 'conversation.changed', conversation: titled('new', '3') });
  await answer(new TypeError('Failed to fetch'));
  expect(store.items.map(({ id }) => id)).toEqual(['new', 'second', 'first']);
});

it('leaves nothing of a temporary one in the browser', async () => {
  const store = new ConversationStore();
  store.open();
  begin();
  await answer([{ ...titled('secret', '2'), temporary: true }, titled('lasting', '1')]);
  expect(store.items).toHaveLength(2);
  const kept = JSON.stringify(readOfflineCache('conversations'));
  expect(kept).toContain('lasting');
  expect(kept).not.toContain('secret');
});
