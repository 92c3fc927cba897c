/** How full the conversation is that is written in: fetched anew whenever that may have changed. */
import { api, need, type ConversationEvent } from '$api/client';
import { live } from '$live/connection.svelte';
import type { Context } from './meter';
import { oneAtATime } from './oneAtATime';

/** Seats are often changed several at a time. */
const REST = 300;
const CHANGES = ['round.closed', 'context.changed', 'message.marked', 'reset'];

export class ContextMeter {
  view = $state.raw<Context | null>(null);
  problem = $state('');
  readonly conversationId: string;
  readonly refresh = oneAtATime(() => this.#fetch());
  #models: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(conversationId: string) {
    this.conversationId = conversationId;
  }

  /** Keep up with the conversation until the returned function is called. */
  follow(): () => void {
    const unlisten = live.listen((event) => this.#hear(event));
    return () => {
      unlisten();
      clearTimeout(this.#timer);
    };
  }

  /** Measure for these models, soon. */
  seat(models: readonly string[]): void {
    this.#models = models;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), REST);
  }

  #hear(event: ConversationEvent): void {
    const isOwn = event.type === 'conversation.changed' && event.conversation.id === this.conversationId;
    if (isOwn || CHANGES.includes(event.type)) this.seat(this.#models);
  }

  async #fetch(): Promise<void> {
    const params = { path: { conversation_id: this.conversationId }, query: { models: [...this.#models] } };
    try {
      this.view = await need(api.GET('/api/conversations/{conversation_id}/context', { params }));
      this.problem = '';
    } catch (error) {
      // Nobody waits for it: what was measured last stays.
      this.problem = (error as Error).message;
    }
  }
}
