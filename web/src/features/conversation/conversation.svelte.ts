/** The conversation that is open: fetched once, kept up to date by its events. */
import { tick } from 'svelte';
import { api, need, Problem, type ConversationEvent, type Round, type Schemas } from '$api/client';
import { shelf } from '$features/sidebar/shelf.svelte';
import { live } from '$live/connection.svelte';
import { apply, isOtherBranch, isWriting, misses, type Opened } from './apply';
import { Look } from './look.svelte';

const PAGE = 20;
/** Events that come within this time are shown together: many streams, one drawing. */
const BREATH = 30;
/** A conversation is not fetched anew more often than this. */
const REST = 1000;

export class OpenConversation {
  state = $state.raw<Opened | null>(null);
  problem = $state<string | null>(null);
  /** The server cannot be reached: the conversation may well be there. */
  isAway = $state(false);
  /** The server says that there is no such conversation for this person: nothing of it is shown. */
  isUnavailable = $state(false);
  /** Older rounds are being put before those that are here. */
  prepending = $state(false);
  fetchingOlder = $state(false);
  /** How often the person asked something here: time to look at the end. */
  asked = $state(0);
  /** The round that the person wants to see; the same one may be wanted twice. */
  sought = $state.raw<{ readonly round: string } | null>(null);
  readonly id: string;
  readonly #looks: Record<string, Look> = {};
  #unlisten: (() => void) | undefined;
  #opening: Promise<void> | null = null;
  #openedAt = 0;
  #reloading: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  /** How often it was asked or told which rounds are compressed: only the last answer counts. */
  #watermarks = 0;
  #heard: ConversationEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string) {
    this.id = id;
  }

  /** Whether it was deleted, or is no longer to be had; null where it is here or on its way. */
  get absence(): 'deleted' | 'unavailable' | null {
    if (this.state?.deleted) return 'deleted';
    return this.isUnavailable ? 'unavailable' : null;
  }

  get rounds(): readonly Round[] {
    return this.state?.rounds ?? [];
  }

  get isWriting(): boolean {
    return this.writing.length > 0;
  }

  /** The rounds in which someone is still writing. */
  get writing(): readonly Round[] {
    return this.rounds.filter((round) => round.replies.some(isWriting));
  }

  /** How a round is looked at; it outlives the round's place on the screen. */
  lookAt(roundId: string): Look {
    return (this.#looks[roundId] ??= new Look());
  }

  /** Fetch the end of the conversation and follow what comes. */
  open(): Promise<void> {
    this.#opening ??= this.#open().finally(() => (this.#opening = null));
    return this.#opening;
  }

  /** Show a round that was just accepted, before its event comes. */
  take(turn: Schemas['TurnView']): void {
    this.#hear({ type: 'round.opened', round: turn.round, sort_key: turn.conversation.sort_key });
    this.asked++;
  }

  /** Go to a round, wherever in the conversation it is. */
  seek(round: string): void {
    this.sought = { round };
  }

  /** Fetch the page before the oldest round that is here. */
  async older(): Promise<void> {
    const before = this.state?.before;
    if (!before || this.fetchingOlder) return;
    this.fetchingOlder = true;
    try {
      const page = await need(
        api.GET('/api/conversations/{conversation_id}/rounds', {
          params: { path: { conversation_id: this.id }, query: { before, limit: PAGE } },
        }),
      );
      if (this.state?.before !== before) return;
      this.prepending = true;
      this.state = { ...this.state, rounds: [...page.rounds, ...this.state.rounds], before: page.before };
      await tick();
      this.prepending = false;
    } finally {
      this.fetchingOlder = false;
    }
  }

  /** Fetch back to a round, and return its place; it may be on a branch that is not shown: then -1. */
  async reach(roundId: string): Promise<number> {
    const place = () => this.rounds.findIndex(({ id }) => id === roundId);
    while (place() < 0 && this.state?.before) {
      const { before } = this.state;
      await this.older();
      // Somebody else fetches just now.
      if (this.state.before === before) await new Promise((resolve) => setTimeout(resolve, BREATH));
    }
    return place();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#reloading);
    this.#unlisten?.();
    live.follow(null);
  }

  async #open(): Promise<void> {
    try {
      this.#watermarks++;
      const request = api.GET('/api/conversations/{conversation_id}', {
        params: { path: { conversation_id: this.id }, query: { limit: PAGE } },
      });
      // Both before anything is drawn: what came later would move what is there.
      const [page, compressed] = await Promise.all([need(request), this.#fetchWatermark()]);
      if (this.#closed) return;
      const { conversation, rounds, before } = page;
      this.#heard = [];
      this.#openedAt = Date.now();
      this.problem = null;
      this.isAway = this.isUnavailable = false;
      const watermark = compressed ?? this.state?.watermark ?? 0;
      this.state = { conversation, rounds, before, notes: {}, watermark, deleted: false };
      this.#unlisten?.();
      this.#unlisten = live.listen((event) => this.#hear(event));
      live.follow(this.id, page.last_event_id, () => this.#reload());
    } catch (error) {
      if (!this.#closed) this.#fail(error as Error);
    }
  }

  #fail(error: Error): void {
    this.problem = error.message;
    this.isAway = error instanceof Problem && error.isPassing;
    if (!(error instanceof Problem && error.isUnavailable) || this.state?.deleted) return;
    this.isUnavailable = true;
    this.state = null;
    shelf.remove(this.id);
  }

  /** Find out anew which rounds are compressed. */
  async #readWatermark(): Promise<void> {
    const asked = ++this.#watermarks;
    const watermark = await this.#fetchWatermark();
    if (watermark === null || !this.state || asked !== this.#watermarks) return;
    this.state = { ...this.state, watermark };
  }

  /** Fetch which rounds are compressed; null without an answer: then they look like the others. */
  async #fetchWatermark(): Promise<number | null> {
    const params = { path: { conversation_id: this.id } };
    const { data } = await api
      .GET('/api/conversations/{conversation_id}/summary', { params })
      .catch(() => ({ data: undefined }));
    return data ? (data.current?.watermark ?? 0) : null;
  }

  #reload(): void {
    const pause = Math.max(0, this.#openedAt + REST - Date.now());
    this.#reloading ??= setTimeout(() => {
      this.#reloading = undefined;
      void this.open();
    }, pause);
  }

  /** Take in an event at once after a silence, else with those that come in the same breath. */
  #hear(event: ConversationEvent): void {
    this.#heard.push(event);
    if (this.#timer !== undefined) return;
    this.#apply();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#heard.length) this.#apply();
    }, BREATH);
  }

  #apply(): void {
    const before = this.state;
    let state = before;
    for (const event of this.#heard.splice(0)) {
      if (!state) return;
      if (misses(state, event)) return this.#reload();
      state = apply(state, event);
      if (event.type === 'context.changed') this.#watermarks++;
    }
    this.state = state;
    // The feed tells its owner when it is restored.
    if (state?.deleted && !before?.deleted) live.follow(null);
    if (before && state && isOtherBranch(before, state)) void this.#readWatermark();
  }
}
