// @vitest-environment jsdom
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api, type Conversation, type ConversationEvent } from '$api/client';
import { live } from '$live/connection.svelte';
import ProjectConversations from './ProjectConversations.svelte';

const named = (id: string, title: string) =>
  ({ id, title, project_id: 'prj_1', updated_at: '2026-01-01T12:00:00Z' }) as Conversation;
const WALRUS = named('cnv_1', 'Walrus');
const GANNET = named('cnv_2', 'Gannet');

describe('the conversations of a project', () => {
  /** What was asked for and not answered yet. */
  let requests: ((conversations: Conversation[]) => void)[] = [];
  let tell: (event: ConversationEvent) => void;
  let begin: () => void;
  let drawn: Record<string, unknown>;

  beforeEach(() => {
    requests = [];
    vi.spyOn(live, 'subscribe').mockImplementation((listener) => {
      tell = listener;
      return () => undefined;
    });
    vi.spyOn(live, 'onBegin').mockImplementation((fetch) => {
      begin = fetch;
      return () => undefined;
    });
    vi.spyOn(api, 'GET').mockImplementation(
      (() =>
        new Promise((resolve) => {
          requests.push((conversations) =>
            resolve({ data: { conversations, next: null }, response: new Response() }),
          );
        })) as unknown as typeof api.GET,
    );
    drawn = mount(ProjectConversations, { target: document.body, props: { projectId: 'prj_1' } });
    flushSync();
  });
  afterEach(async () => {
    await unmount(drawn);
    vi.restoreAllMocks();
  });

  async function answer(place: number, ...conversations: Conversation[]) {
    requests[place]?.(conversations);
    await new Promise((resolve) => setTimeout(resolve));
    flushSync();
  }
  const listed = () =>
    [...document.querySelectorAll('a')].map((link) => link.querySelector('[dir=auto]')?.textContent);

  it('are fetched again when the feed begins, for what happened before it was heard', async () => {
    await answer(0, WALRUS);
    begin();
    await answer(1, GANNET, WALRUS);
    expect(listed()).toEqual(['Gannet', 'Walrus']);
  });

  it('are those of the latest answer, also where an earlier one comes later', async () => {
    tell({ type: 'conversation.deleted', conversation_id: 'cnv_2' });
    await answer(1, WALRUS);
    await answer(0, GANNET, WALRUS);
    expect(listed()).toEqual(['Walrus']);
  });

  it('are fetched again when one of them changes, and not for those of other projects', async () => {
    await answer(0, WALRUS);
    tell({ type: 'conversation.changed', conversation: { ...GANNET, project_id: 'prj_2' } });
    expect(requests).toHaveLength(1);
    tell({ type: 'conversation.changed', conversation: GANNET });
    await answer(1, GANNET, WALRUS);
    expect(listed()).toEqual(['Gannet', 'Walrus']);
  });
});
