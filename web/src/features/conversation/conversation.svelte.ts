/** The conversation that is open: fetched once, kept up to date by its events. */
import { api, need, type Round } from '$api/client';
import { live } from '$live/connection.svelte';
import { apply, type Opened } from './apply';

const PAGE = 20;

export class OpenConversation {
  state = $state.raw<Opened | null>(null);
  problem = $state<string | null>(null);
  readonly id: string;
  #unlisten: (() => void) | undefined;
  #fetchingOlder = false;

  constructor(id: string) {
    this.id = id;
  }

  get rounds(): readonly Round[] {
    return this.state?.rounds ?? [];
  }

  get isWriting(): boolean {
    return this.rounds.some((round) =>
      round.replies.some((reply) => ['queued', 'running'].includes(reply.status)),
    );
  }

  /** Fetch the end of the conversation and follow what comes. */
  async open(): Promise<void> {
    try {
      const page = await need(
        api.GET('/api/conversations/{conversation_id}', {
          params: { path: { conversation_id: this.id }, query: { limit: PAGE } },
        }),
      );
      const { conversation, rounds, before } = page;
      this.state = { conversation, rounds, before, notes: {}, deleted: false };
      this.#unlisten?.();
      this.#unlisten = live.listen((event) => {
        if (event.type === 'reset') void this.open();
        else if (this.state) this.state = apply(this.state, event);
      });
      live.follow(this.id, page.last_event_id);
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  /** Fetch the page before the oldest round that is here. */
  async older(): Promise<void> {
    const before = this.state?.before;
    if (!before || this.#fetchingOlder) return;
    this.#fetchingOlder = true;
    try {
      const page = await need(
        api.GET('/api/conversations/{conversation_id}/rounds', {
          params: { path: { conversation_id: this.id }, query: { before, limit: PAGE } },
        }),
      );
      if (this.state)
        this.state = { ...this.state, rounds: [...page.rounds, ...this.state.rounds], before: page.before };
    } finally {
      this.#fetchingOlder = false;
    }
  }

  close(): void {
    this.#unlisten?.();
    live.follow(null);
  }
}
