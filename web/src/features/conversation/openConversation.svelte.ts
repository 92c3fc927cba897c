/** The conversation that is open: fetched once, kept up to date by its events. */
import { tick } from 'svelte';
import { api, unwrap, ApiError, type ConversationEvent, type Round, type Schemas } from '$api/client';
import { conversationStore } from '$features/sidebar/conversationStore.svelte';
import { live } from '$live/connection.svelte';
import { applyEvent, hasSwitchedBranch, isWriting, needsReload, type ConversationState } from './applyEvent';
import { RoundViewState } from './roundViewState.svelte';

const ROUNDS_PAGE_SIZE = 20;
/** Events that come within this time are shown together: many streams, one drawing. */
const EVENT_BATCH_MS = 30;
/** A conversation is not fetched anew more often than this. */
const RELOAD_INTERVAL_MIN_MS = 1000;

export class OpenConversation {
  state = $state.raw<ConversationState | null>(null);
  problem = $state<string | null>(null);
  /** The server cannot be reached: the conversation may well be there. */
  isServerUnreachable = $state(false);
  /** The server says that there is no such conversation for this person: nothing of it is shown. */
  isUnavailable = $state(false);
  /** Older rounds are being put before those that are here. */
  prepending = $state(false);
  fetchingOlder = $state(false);
  /** How often the person asked something here: time to look at the end. */
  questionsAsked = $state(0);
  /** The round that the person wants to see; the same one may be wanted twice. */
  scrollTarget = $state.raw<{ readonly round: string } | null>(null);
  readonly id: string;
  readonly #roundViews: Record<string, RoundViewState> = {};
  #unlisten: (() => void) | undefined;
  #opening: Promise<void> | null = null;
  #openedAt = 0;
  #reloading: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  /** How often it was asked or told which rounds are compressed: only the last answer counts. */
  #watermarks = 0;
  #pendingEvents: ConversationEvent[] = [];
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
  roundView(roundId: string): RoundViewState {
    return (this.#roundViews[roundId] ??= new RoundViewState());
  }

  /** Fetch the end of the conversation and follow what comes. */
  open(): Promise<void> {
    this.#opening ??= this.#open().finally(() => (this.#opening = null));
    return this.#opening;
  }

  /** Show a round that was just accepted, before its event comes. */
  addTurn(turn: Schemas['TurnView']): void {
    this.#receive({ type: 'round.opened', round: turn.round, sort_key: turn.conversation.sort_key });
    this.questionsAsked++;
  }

  /** Go to a round, wherever in the conversation it is. */
  scrollTo(round: string): void {
    this.scrollTarget = { round };
  }

  /** Fetch the page before the oldest round that is here. */
  async loadOlder(): Promise<void> {
    const before = this.state?.before;
    if (!before || this.fetchingOlder) return;
    this.fetchingOlder = true;
    try {
      const page = await unwrap(
        api.GET('/api/conversations/{conversation_id}/rounds', {
          params: { path: { conversation_id: this.id }, query: { before, limit: ROUNDS_PAGE_SIZE } },
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
  async loadBackTo(roundId: string): Promise<number> {
    const place = () => this.rounds.findIndex(({ id }) => id === roundId);
    while (place() < 0 && this.state?.before) {
      const { before } = this.state;
      await this.loadOlder();
      // Somebody else fetches just now.
      if (this.state.before === before) await new Promise((resolve) => setTimeout(resolve, EVENT_BATCH_MS));
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
        params: { path: { conversation_id: this.id }, query: { limit: ROUNDS_PAGE_SIZE } },
      });
      // Both before anything is drawn: what came later would move what is there.
      const [page, compressed] = await Promise.all([unwrap(request), this.#fetchWatermark()]);
      if (this.#closed) return;
      const { conversation, rounds, before } = page;
      this.#pendingEvents = [];
      this.#openedAt = Date.now();
      this.problem = null;
      this.isServerUnreachable = this.isUnavailable = false;
      const watermark = compressed ?? this.state?.watermark ?? 0;
      this.state = { conversation, rounds, before, notes: {}, watermark, deleted: false };
      this.#unlisten?.();
      this.#unlisten = live.subscribe((event) => this.#receive(event));
      live.follow(this.id, page.last_event_id, () => this.#reload());
    } catch (error) {
      if (!this.#closed) this.#fail(error as Error);
    }
  }

  #fail(error: Error): void {
    this.problem = error.message;
    this.isServerUnreachable = error instanceof ApiError && error.isTransient;
    if (!(error instanceof ApiError && error.isUnavailable) || this.state?.deleted) return;
    this.isUnavailable = true;
    this.state = null;
    conversationStore.remove(this.id);
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
    const pause = Math.max(0, this.#openedAt + RELOAD_INTERVAL_MIN_MS - Date.now());
    this.#reloading ??= setTimeout(() => {
      this.#reloading = undefined;
      void this.open();
    }, pause);
  }

  /** Take in an event at once after a silence, else with those that come in the same breath. */
  #receive(event: ConversationEvent): void {
    this.#pendingEvents.push(event);
    if (this.#timer !== undefined) return;
    this.#apply();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#pendingEvents.length) this.#apply();
    }, EVENT_BATCH_MS);
  }

  #apply(): void {
    const before = this.state;
    let state = before;
    for (const event of this.#pendingEvents.splice(0)) {
      if (!state) return;
      if (needsReload(state, event)) return this.#reload();
      state = applyEvent(state, event);
      if (event.type === 'context.changed') this.#watermarks++;
    }
    this.state = state;
    // The feed tells its owner when it is restored.
    if (state?.deleted && !before?.deleted) live.follow(null);
    if (before && state && hasSwitchedBranch(before, state)) void this.#readWatermark();
  }
}
