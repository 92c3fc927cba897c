/**
 * The one live connection of a tab: the person's feed and, while one is open, a conversation.
 *
 * Whoever connects says after which event to go on, so that a connection may be let go of at any time and
 * nothing is missed. A tab that nobody sees has none: browsers allow six to a server, for all tabs together.
 * Silence means that the line is dead, because the server pings; nothing else would ever say so.
 * A refusal is an answer, not a lost connection: whoever may not follow a conversation follows the feed alone.
 * What the feed tells of is fetched when the feed begins, not before: nothing can happen unheard in between.
 */
import type { ConversationEvent } from '$api/client';
import { answerOf, statusOf } from './answer';

type Listener = (event: ConversationEvent) => void;

const RETRY_PAUSE_MIN_MS = 250;
/** Short, as whoever looks at the tab waits for it; a tab that nobody sees does not try. */
const RETRY_PAUSE_MAX_MS = 2_000;
/** The server pings every 15 seconds: two of them may be late. */
const SILENCE_MAX_MS = 35_000;
/** So long may the server take to answer at all. */
const CONNECT_TIMEOUT_MS = 8_000;
/** So long is what the feed tells of not fetched without it: a proxy may hold a stream back. */
const FEED_WAIT_MAX_MS = 1_000;
/** So much later it is tried again after the network went: in that very moment it may still carry a request. */
const OFFLINE_RECHECK_MS = 1_000;
/** How often to look. By the clock on the wall: a timer stands still while the computer sleeps. */
const WATCHDOG_INTERVAL_MS = 2_000;

export class Live {
  /** Whether events arrive just now. */
  online = $state(true);
  /** Called when the server says that nobody is signed in. */
  onSignedOut: () => void = () => undefined;
  #source: EventSource | null = null;
  #listeners: Listener[] = [];
  #fetches: (() => void)[] = [];
  #hasFetched = false;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #conversation: string | null = null;
  #onUnavailable: () => void = () => undefined;
  #asking: AbortController | null = null;
  #last = '';
  #heardAt = 0;
  #pause = RETRY_PAUSE_MIN_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unwatch: (() => void) | null = null;

  /** Hear every event until the returned function is called. */
  subscribe(listener: Listener): () => void {
    this.#listeners.push(listener);
    return () => (this.#listeners = this.#listeners.filter((other) => other !== listener));
  }

  /**
   * Fetch what the feed tells of whenever it begins, or cannot be heard at first, until the returned function
   * is called.
   */
  onBegin(fetch: () => void): () => void {
    this.#fetches.push(fetch);
    return () => (this.#fetches = this.#fetches.filter((other) => other !== fetch));
  }

  /**
   * Follow a conversation from an event's number on (beside the feed), or none. Once the person may not read
   * it, only the feed is followed, and `onUnavailable` is called.
   */
  follow(conversation: string | null, after = 0, onUnavailable: () => void = () => undefined): void {
    this.#conversation = conversation;
    this.#onUnavailable = onUnavailable;
    this.#last = conversation ? `${this.#feed}.${after}` : this.#feed;
    this.#unwatch ??= this.#watch();
    this.#waiting ??= setTimeout(() => this.#stopWaiting(), FEED_WAIT_MAX_MS);
    this.#open();
  }

  close(): void {
    this.#unwatch?.();
    this.#unwatch = null;
    this.#drop();
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    // Whoever comes next may be somebody else, with a feed of their own.
    this.#last = '';
    this.#hasFetched = false;
  }

  /** The number of the last event of the feed; empty while none is known. */
  get #feed(): string {
    return this.#last.split('.')[0] ?? '';
  }

  #fetch(): void {
    this.#hasFetched = true;
    for (const fetch of this.#fetches) fetch();
  }

  /** Fetch all the same where the feed cannot be heard; once it begins, everything is fetched again. */
  #stopWaiting(): void {
    if (!this.#hasFetched) this.#fetch();
  }

  #open(): void {
    this.#drop();
    if (document.hidden) return this.#stopWaiting();
    const query = new URLSearchParams();
    if (this.#conversation) query.set('conversation', this.#conversation);
    if (this.#last) query.set('after', this.#last);
    const url = `/api/events?${query}`;
    const source = new EventSource(url);
    this.#source = source;
    this.#heardAt = Date.now();
    source.onopen = () => {
      this.#heardAt = Date.now();
      this.online = true;
      this.#pause = RETRY_PAUSE_MIN_MS;
    };
    source.addEventListener('ping', (message) => {
      const isBeginning = this.#feed === '';
      this.#note(message);
      if (isBeginning) this.#fetch();
    });
    source.onmessage = (message) => this.#hear(message);
    source.onerror = () => {
      // A browser gives up where it was answered with something else than a stream, and does not say what.
      if (source.readyState === EventSource.CLOSED) void this.#findCause(url);
      else this.#lose();
    };
  }

  /** Ask why there is no stream, and act on the answer. */
  async #findCause(url: string): Promise<void> {
    const asking = (this.#asking = new AbortController());
    const status = await statusOf(url, asking.signal);
    if (asking.signal.aborted) return;
    const answer = answerOf(status, this.#conversation !== null);
    if (answer === 'unavailable') return this.#leaveConversation();
    if (answer === 'signed_out') this.onSignedOut();
    this.#lose();
  }

  #leaveConversation(): void {
    const tell = this.#onUnavailable;
    this.follow(null);
    tell();
  }

  #lose(): void {
    this.online = false;
    this.#stopWaiting();
    // The browser would try again by itself too, but only after seconds, and not where it was refused.
    this.#retry();
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#asking?.abort();
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
    // Not all tabs at the same moment.
    this.#timer = setTimeout(() => this.#open(), this.#pause * (0.5 + Math.random() / 2));
    this.#pause = Math.min(RETRY_PAUSE_MAX_MS, this.#pause * 2);
  }

  /** Connect anew whenever the way to the server may have changed, until the returned function is called. */
  #watch(): () => void {
    const anew = () => this.#open();
    let recheck: ReturnType<typeof setTimeout> | undefined;
    const offline = () => {
      this.#open();
      recheck = setTimeout(() => navigator.onLine || this.#open(), OFFLINE_RECHECK_MS);
    };
    const looking = setInterval(() => this.#look(), WATCHDOG_INTERVAL_MS);
    document.addEventListener('visibilitychange', anew);
    // Only an answer tells: without a network there may still be a server on this machine.
    addEventListener('offline', offline);
    addEventListener('online', anew);
    return () => {
      clearInterval(looking);
      clearTimeout(recheck);
      document.removeEventListener('visibilitychange', anew);
      removeEventListener('offline', offline);
      removeEventListener('online', anew);
    };
  }

  #look(): void {
    if (!this.#source) return;
    const isOpen = this.#source.readyState === EventSource.OPEN;
    if (Date.now() - this.#heardAt < (isOpen ? SILENCE_MAX_MS : CONNECT_TIMEOUT_MS)) return;
    this.online = false;
    this.#open();
  }
}

export const live = new Live();
