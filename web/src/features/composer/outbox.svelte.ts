/** Messages on their way: each is stored before it is sent and stays until the server has answered. */
import { api, need, Problem, type Schemas } from '$api/client';
import { live } from '$live/connection.svelte';
import { untrack } from 'svelte';
import { freshKey } from './keys';
import * as queue from './outbox';
import type { Letter, NewTurn } from './outbox';
import { forget, keep, keysWith, read } from '$lib/kept';
import { tellUnread } from './unread';

export type Turn = Schemas['TurnView'];
export type News =
  | { readonly kind: 'sent'; readonly letter: Letter; readonly turn: Turn }
  | { readonly kind: 'postponed'; readonly letter: Letter }
  | { readonly kind: 'refused'; readonly letter: Letter; readonly problem: unknown };
type Reader = (news: News) => boolean;

/** A letter of another tab is left to that tab for so long. */
const COURTESY = 15_000;

const deliver = (body: NewTurn): Promise<Turn> =>
  need(api.POST('/api/turn', { body, signal: AbortSignal.timeout(queue.patience(body)) }));

export class Outbox {
  letters = $state.raw<queue.Queue>([]);
  #owner: string | null = null;
  #readers: Reader[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #deliver: (body: NewTurn) => Promise<Turn>;
  readonly #unread: (news: News) => void;

  constructor(send = deliver, unread: (news: News) => void = tellUnread) {
    this.#deliver = send;
    this.#unread = unread;
  }

  /** Take up what this person left unsent; the same person twice changes nothing. */
  open(owner: string): void {
    if (this.#owner === owner) return;
    if (this.#owner === null) this.#watch();
    this.#owner = owner;
    this.letters = [];
    for (const key of keysWith(this.#prefix)) this.#takeUp(key, read(key));
    this.hurry();
  }

  /** Send a message: now if the server can be reached, else when it can. */
  post(body: NewTurn, thread?: string): void {
    this.put(queue.letter(body, freshKey(), queue.nextMoment(this.letters, Date.now()), thread));
  }

  /** Put a letter into the queue, as it is. */
  put(one: Letter): void {
    this.letters = queue.added(this.letters, [this.#keep(one)]);
    this.hurry();
  }

  /** Take a letter out again, unless it is under way. */
  take(key: string): Letter | null {
    const one = this.letters.find((letter) => letter.key === key);
    if (!one || one.state === 'sending') return null;
    this.#drop(one);
    return one;
  }

  /** Hear what becomes of letters until the returned function is called; return true to have dealt with it. */
  listen(reader: Reader): () => void {
    this.#readers.push(reader);
    return () => (this.#readers = this.#readers.filter((one) => one !== reader));
  }

  /** Try now rather than after the pause. */
  hurry(): void {
    clearTimeout(this.#timer);
    const one = queue.next(this.letters);
    if (one) void this.#send(one);
  }

  async #send(one: Letter): Promise<void> {
    this.letters = queue.sending(this.letters, one.key);
    try {
      const turn = await this.#deliver(one.body);
      this.#drop(one);
      for (const other of queue.followers(this.letters, one)) this.#address(other, turn.conversation.id);
      this.#tell({ kind: 'sent', letter: one, turn });
    } catch (problem) {
      if (problem instanceof Problem && problem.isPassing) {
        this.#postpone(one);
        return;
      }
      this.#refuse(one, problem);
    }
    this.hurry();
  }

  /** Give a letter back, and before it those that would have followed: the first words come first again. */
  #refuse(one: Letter, problem: unknown): void {
    const others = queue.followers(this.letters, one).toReversed();
    for (const letter of [...others, one]) {
      this.#drop(letter);
      this.#tell({ kind: 'refused', letter, problem: letter === one ? problem : null });
    }
  }

  #address(one: Letter, conversationId: string): void {
    const addressed = this.#keep(queue.addressed(one, conversationId));
    this.letters = this.letters.map((other) => (other === one ? addressed : other));
  }

  #keep(one: Letter): Letter {
    const key = this.#prefix + one.key;
    const kept = keep(key, queue.stored(one, true));
    if (!kept) keep(key, queue.stored(one, false));
    return { ...one, kept };
  }

  #postpone(one: Letter): void {
    this.letters = queue.postponed(this.letters, one.key);
    this.#later(queue.pauseAfter(one.tries + 1));
    this.#tell({ kind: 'postponed', letter: one });
  }

  #later(pause: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hurry(), pause);
  }

  #tell(news: News): void {
    const heard = this.#readers.filter((reader) => reader(news));
    if (heard.length === 0) this.#unread(news);
  }

  #drop(one: Letter): void {
    this.letters = queue.removed(this.letters, one.key);
    forget(this.#prefix + one.key);
  }

  #takeUp(key: string, value: unknown): void {
    if (!queue.isStored(value)) return;
    const one = { ...queue.letter(value.body, value.key, value.at, value.thread) };
    if (value.whole) this.letters = queue.added(this.letters, [one]);
    else {
      // Its pictures had no room: the words go back to where they were written.
      forget(key);
      this.#unread({ kind: 'refused', letter: one, problem: null });
    }
  }

  #watch(): void {
    addEventListener('online', () => this.hurry());
    addEventListener('storage', (event) => this.#hearOtherTab(event));
    $effect.root(() => {
      $effect(() => {
        if (live.online) untrack(() => this.hurry());
      });
    });
  }

  #hearOtherTab({ key, newValue }: StorageEvent): void {
    if (!key?.startsWith(this.#prefix)) return;
    const name = key.slice(this.#prefix.length);
    const value = read(key);
    if (newValue === null) this.letters = queue.removed(this.letters, name);
    else if (queue.isStored(value) && value.whole) {
      this.#takeUp(key, value);
      this.#later(COURTESY);
    }
  }

  get #prefix(): string {
    return `tertulia.${this.#owner ?? 'nobody'}.outbox.`;
  }
}

export const outbox = new Outbox();
