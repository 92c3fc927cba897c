/**
 * The one live connection of a tab: the person's feed and, while one is open, a conversation.
 *
 * The browser's own EventSource resumes by the last event's id; it gives up only when the server
 * refuses, and then this tries again with growing pauses.
 */
import type { ConversationEvent } from '$api/client';

type Listener = (event: ConversationEvent) => void;

const LONGEST_PAUSE = 30_000;

export class Live {
  /** Whether events arrive just now. */
  online = $state(true);
  #source: EventSource | null = null;
  #listeners: Listener[] = [];
  #conversation: string | null = null;
  #last = '';
  #pause = 500;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Hear every event until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.push(listener);
    return () => (this.#listeners = this.#listeners.filter((one) => one !== listener));
  }

  /** Follow a conversation from an event's number on (beside the feed), or none. */
  follow(conversation: string | null, after = 0): void {
    const feed = this.#last.split('.')[0] ?? '';
    this.#conversation = conversation;
    this.#last = conversation ? `${feed}.${after}` : feed;
    this.#open();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  #open(): void {
    this.close();
    const query = new URLSearchParams();
    if (this.#conversation) query.set('conversation', this.#conversation);
    if (this.#last) query.set('after', this.#last);
    const source = new EventSource(`/api/events?${query}`);
    this.#source = source;
    source.onopen = () => {
      this.online = true;
      this.#pause = 500;
    };
    source.onmessage = (message) => this.#hear(message);
    source.onerror = () => {
      this.online = false;
      if (source.readyState === EventSource.CLOSED) this.#retry();
    };
  }

  #hear(message: MessageEvent<string>): void {
    if (message.lastEventId) this.#last = message.lastEventId;
    const event = JSON.parse(message.data) as ConversationEvent;
    // What was asked for is no longer kept: whoever listens fetches anew and says from where to go on.
    if (event.type === 'reset') this.#last = '';
    for (const listener of this.#listeners) listener(event);
  }

  #retry(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), this.#pause);
    this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
  }
}

export const live = new Live();
