/** What is being written in one place: text, pictures, whom it is for. Kept until it is sent. */
import type { Schemas } from '$api/client';
import { catalogue } from '$features/models/catalogue.svelte';
import { toasts } from '$ui/toasts.svelte';
import { draftFrom, draftKey, givenBack, placeOf } from './drafts';
import { freshKey } from './keys';
import type { Letter, NewTurn } from './outbox';
import { outbox, type News, type Turn } from './outbox.svelte';
import { owner } from './owner';
import { contentOf, objection, type Picture } from './pictures';
import { Seating } from './seating.svelte';
import { forget, keep, read } from '$lib/kept';
import { isSeat, type Seat } from './table';

/** A message before it is sent: whom it asks, where, and how. */
type Question = Pick<NewTurn, 'message' | 'conversation_id' | 'project_id' | 'policy' | 'parent_id'> & {
  models: Schemas['Guest'][];
};

/** How long the hand may rest before the draft is stored. */
const REST = 250;

export class Composing {
  text = $state('');
  /** The one model this message is for; null when it is for the whole table. */
  to = $state.raw<Seat | null>(null);
  pictures = $state.raw<readonly Picture[]>([]);
  readonly place: string;
  readonly seating: Seating;
  readonly #thread = freshKey();
  readonly #conversationId: string | null;
  /** The project whose files can be named; null for the default one. */
  projectId = $state<string | null>(null);
  /** The conversation that was begun here: what is written next goes on there. */
  #begun: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(conversationId: string | null, projectId: string | null) {
    this.#conversationId = conversationId;
    this.projectId = projectId;
    this.place = placeOf(conversationId, projectId);
    this.seating = new Seating(conversationId, projectId);
    outbox.open(owner());
    const draft = draftFrom(read(this.#key));
    this.text = draft.text;
    this.to = draft.to;
  }

  /** Whether there is something that can be sent. */
  get isComplete(): boolean {
    return this.text.trim() !== '';
  }

  /** Whether there are models and none of them is invited. */
  get isLonely(): boolean {
    return this.asked.length === 0 && catalogue.models.length > 0 && !this.seating.follows;
  }

  /** The seats this message goes to. */
  get asked(): readonly Seat[] {
    return this.to ? [this.to] : this.seating.seats;
  }

  /** Store the draft soon; while one writes, not with every letter. */
  saveSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), REST);
  }

  save(): void {
    clearTimeout(this.#timer);
    if (this.text || this.to) keep(this.#key, { text: this.text, to: this.to });
    else forget(this.#key);
  }

  /** Hand the message to the outbox once it is known who sits here, and begin a new one. */
  async send(chosen: string | null): Promise<void> {
    if (this.asked.length === 0) await this.seating.opened;
    if (!this.isComplete || this.isLonely) return;
    const images = this.pictures.map(({ data }) => ({ data }));
    const body: NewTurn = { ...this.#question(chosen), images };
    this.seating.remember(this.#conversationId);
    this.text = '';
    this.to = null;
    this.pictures = [];
    this.save();
    outbox.post(body, this.#thread);
  }

  /** What would be sent now, without its pictures; null while nothing could be. */
  draft(chosen: string | null): Question | null {
    const isOpen = this.asked.length > 0 || this.seating.follows;
    return this.isComplete && isOpen ? this.#question(chosen) : null;
  }

  #question(chosen: string | null): Question {
    const conversationId = this.#conversationId ?? this.#begun;
    return {
      message: this.text.trim(),
      conversation_id: conversationId,
      project_id: conversationId ? null : this.projectId,
      models: this.asked.map(({ model, effort }) => ({ model, effort })),
      policy: chosen ? 'chosen' : this.seating.policy,
      parent_id: chosen ?? 'head',
    };
  }

  /** Put a letter's words and pictures back before what was written since. */
  takeBack({ body }: Letter): void {
    this.text = givenBack(this.text, body.message);
    const returned = (body.images ?? []).map(({ data }) => ({ id: freshKey(), name: 'picture', data }));
    this.pictures = [...returned, ...this.pictures];
    const only = body.models?.length === 1 ? body.models[0] : null;
    if (isSeat(only) && this.seating.seats.length > 1) this.to = only;
    this.save();
  }

  /** Deal with news of a letter that was written here. */
  hear(news: News, onsent: (turn: Turn) => void, onaway: () => void): boolean {
    if (news.letter.place !== this.place) return false;
    if (news.kind === 'refused') {
      this.takeBack(news.letter);
      if (news.problem) toasts.problem(news.problem);
      return true;
    }
    onaway();
    if (news.kind === 'postponed') return true;
    this.seating.remember(news.turn.conversation.id);
    if (news.letter.thread === this.#thread) this.#goOnIn(news.turn.conversation.id);
    if (!this.#conversationId && this.#isBusy) return false;
    onsent(news.turn);
    return true;
  }

  /** Whether going elsewhere would take something away from here: pictures, or another conversation. */
  get #isBusy(): boolean {
    return this.pictures.length > 0 || (!this.#begun && this.isComplete);
  }

  /** What is written meanwhile is found in the conversation that has begun. */
  #goOnIn(conversationId: string): void {
    if (this.#conversationId) return;
    forget(this.#key);
    this.#begun = conversationId;
    this.save();
  }

  get #key(): string {
    return draftKey(owner(), this.#begun ?? this.place);
  }

  /** Attach the pictures among some files, and say what cannot go along. */
  async attach(files: Iterable<File>): Promise<void> {
    for (const file of files) {
      const problem = objection(file, this.pictures.length);
      if (problem) toasts.problem(problem);
      else await this.#attachOne(file);
    }
  }

  detach(id: string): void {
    this.pictures = this.pictures.filter((one) => one.id !== id);
  }

  async #attachOne(file: File): Promise<void> {
    try {
      const data = await contentOf(file);
      this.pictures = [...this.pictures, { id: freshKey(), name: file.name || 'picture', data }];
    } catch (error) {
      toasts.problem(error);
    }
  }
}
