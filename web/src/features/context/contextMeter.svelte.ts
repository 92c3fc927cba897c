/** How full the conversation is that is written in: fetched anew whenever that may have changed. */
import { api, unwrap, type ConversationEvent } from '$api/client';
import { live } from '$live/connection.svelte';
import type { ContextUsage } from './meter';
import { singleFlight } from '$lib/singleFlight';

/** Seats are often changed several at a time. */
const METER_DELAY_MS = 300;
const METER_EVENT_TYPES = ['round.closed', 'context.changed', 'message.marked', 'reset'];

export class ContextMeter {
  usage = $state.raw<ContextUsage | null>(null);
  problem = $state('');
  readonly conversationId: string;
  readonly refresh = singleFlight(() => this.#fetch());
  #models: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(conversationId: string) {
    this.conversationId = conversationId;
  }

  /** Keep up with the conversation until the returned function is called. */
  follow(): () => void {
    const unlisten = live.subscribe((event) => this.#hear(event));
    return () => {
      unlisten();
      clearTimeout(this.#timer);
    };
  }

  /** Measure for these models, soon. */
  measureFor(models: readonly string[]): void {
    this.#models = models;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), METER_DELAY_MS);
  }

  #hear(event: ConversationEvent): void {
    const isOwn = event.type === 'conversation.changed' && event.conversation.id === this.conversationId;
    if (isOwn || METER_EVENT_TYPES.includes(event.type)) this.measureFor(this.#models);
  }

  async #fetch(): Promise<void> {
    const params = { path: { conversation_id: this.conversationId }, query: { models: [...this.#models] } };
    try {
      this.usage = await unwrap(api.GET('/api/conversations/{conversation_id}/context', { params }));
      this.problem = '';
    } catch (error) {
      // Nobody waits for it: what was measured last stays.
      this.problem = (error as Error).message;
    }
  }
}
