/**
 * The one live connection of a tab: the person's feed and, while one is open, a conversation.
 *
 * Whoever connects says after which event to go on, so that a connection may be let go of at any time and
 * nothing is missed. A tab that nobody sees has none: browsers allow six to a server, for all tabs together.
 * Silence means that the line is dead, because the server pings; nothing else would ever say so.
 */
import type { ConversationEvent } from '$api/client';

type Listener = (event: ConversationEvent) => void;

const SHORTEST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** The server pings every 15 seconds: two of them may be late. */
const SILENCE = 35_000;
/** So long may the server take to answer at all. */
const ANSWER = 8_000;
/** How often to look. By the clock on the wall: a timer stands still while the computer sleeps. */
const LOOK = 2_000;

export class Live {
  /** Whether events arrive just now. */
  online = $state(true);
  #source: EventSource | null = null;
  #listeners: Listener[] = [];
  #conversation: string | null = null;
  #last = '';
  #heardAt = 0;
  #pause = SHORTEST_PAUSE;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unwatch: (() => void) | null = null;

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
    this.#unwatch ??= this.#watch();
    this.#open();
  }

  close(): void {
    this.#unwatch?.();
    this.#unwatch = null;
    this.#drop();
  }

  #open(): void {
    this.#drop();
    if (document.hidden) return;
    const query = new URLSearchParams();
    if (this.#conversation) query.set('conversation', this.#conversation);
    if (this.#last) query.set('after', this.#last);
    const source = new EventSource(`/api/events?${query}`);
    this.#source = source;
    this.#heardAt = Date.now();
    source.onopen = () => {
      this.#heardAt = Date.now();
      this.online = true;
      this.#pause = SHORTEST_PAUSE;
    };
    source.addEventListener('ping', (message) => this.#note(message));
    source.onmessage = (message) => this.#hear(message);
    source.onerror = () => {
      this.online = false;
      // The browser tries again by itself, except where the server refused.
      if (source.readyState === EventSource.CLOSED) this.#retry();
    };
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  /** Note that the line is alive, and how far it is. */
  #note(message: MessageEvent): void {
    this.#heardAt = Date.now();
    if (message.lastEventId) this.#last = message.lastEventId;
  }

  #hear(message: MessageEvent<string>): void {
    this.#note(message);
    const event = JSON.parse(message.data) as ConversationEvent;
    // What was asked for is no longer kept: whoever listens fetches anew and says from where to go on.
    if (event.type === 'reset') this.#last = '';
    for (const listener of this.#listeners) listener(event);
  }

  #retry(): void {
    this.#drop();
    this.#timer = setTimeout(() => this.#open(), this.#pause);
    this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
  }

  /** Connect anew whenever the way to the server may have changed, until the returned function is called. */
  #watch(): () => void {
    const anew = () => this.#open();
    const looking = setInterval(() => this.#look(), LOOK);
    document.addEventListener('visibilitychange', anew);
    // Only an answer tells: without a network there may still be a server on this machine.
    addEventListener('offline', anew);
    addEventListener('online', anew);
    return () => {
      clearInterval(looking);
      document.removeEventListener('visibilitychange', anew);
      removeEventListener('offline', anew);
      removeEventListener('online', anew);
    };
  }

  #look(): void {
    if (!this.#source) return;
    const isOpen = this.#source.readyState === EventSource.OPEN;
    if (Date.now() - this.#heardAt < (isOpen ? SILENCE : ANSWER)) return;
    this.online = false;
    this.#open();
  }
}

export const live = new Live();
