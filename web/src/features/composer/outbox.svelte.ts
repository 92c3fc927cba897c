/** Messages on their way: each is stored before it is sent and stays until the server has answered. */
import { api, unwrap, ApiError, type Schemas } from '$api/client';
import { live } from '$live/connection.svelte';
import { untrack } from 'svelte';
import { randomKey } from '$lib/randomKey';
import * as queue from './messageQueue';
import type { QueuedMessage, NewTurn } from './messageQueue';
import { removeStored, writeStored, storedKeys, readStored } from '$lib/storage';
import { notifyOutboxEvent } from './outboxNotification';

export type Turn = Schemas['TurnView'];
export type OutboxEvent =
  | { readonly kind: 'sent'; readonly letter: QueuedMessage; readonly turn: Turn }
  | { readonly kind: 'postponed'; readonly letter: QueuedMessage }
  | { readonly kind: 'refused'; readonly letter: QueuedMessage; readonly problem: unknown };
type OutboxListener = (news: OutboxEvent) => boolean;

/** A letter of another tab is left to that tab for so long. */
const OTHER_TAB_GRACE_MS = 15_000;

const deliver = (body: NewTurn): Promise<Turn> =>
  unwrap(api.POST('/api/turn', { body, signal: AbortSignal.timeout(queue.requestTimeoutMs(body)) }));

export class Outbox {
  messages = $state.raw<queue.MessageQueue>([]);
  #owner: string | null = null;
  #readers: OutboxListener[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #deliver: (body: NewTurn) => Promise<Turn>;
  readonly #unread: (news: OutboxEvent) => void;

  constructor(send = deliver, unread: (news: OutboxEvent) => void = notifyOutboxEvent) {
    this.#deliver = send;
    this.#unread = unread;
  }

  /** Take up what this person left unsent; the same person twice changes nothing. */
  open(owner: string): void {
    if (this.#owner === owner) return;
    if (this.#owner === null) this.#watch();
    this.#owner = owner;
    this.messages = [];
    for (const key of storedKeys(this.#prefix)) this.#takeUp(key, readStored(key));
    this.sendNow();
  }

  /** Send a message: now if the server can be reached, else when it can. */
  post(body: NewTurn, thread?: string): void {
    this.enqueue(queue.newMessage(body, randomKey(), queue.nextTimestamp(this.messages, Date.now()), thread));
  }

  /** Put a letter into the queue, as it is. */
  enqueue(message: QueuedMessage): void {
    this.messages = queue.addMessages(this.messages, [this.#keep(message)]);
    this.sendNow();
  }

  /** Take a letter out again, unless it is under way. */
  withdraw(key: string): QueuedMessage | null {
    const message = this.messages.find((letter) => letter.key === key);
    if (!message || message.state === 'sending') return null;
    this.#drop(message);
    return message;
  }

  /** Hear what becomes of letters until the returned function is called; return true to have dealt with it. */
  listen(reader: OutboxListener): () => void {
    this.#readers.push(reader);
    return () => (this.#readers = this.#readers.filter((other) => other !== reader));
  }

  /** Try now rather than after the pause. */
  sendNow(): void {
    clearTimeout(this.#timer);
    const message = queue.nextToSend(this.messages);
    if (message) void this.#send(message);
  }

  async #send(message: QueuedMessage): Promise<void> {
    this.messages = queue.markSending(this.messages, message.key);
    try {
      const turn = await this.#deliver(message.body);
      this.#drop(message);
      for (const other of queue.messagesAfter(this.messages, message))
        this.#address(other, turn.conversation.id);
      this.#tell({ kind: 'sent', letter: message, turn });
    } catch (problem) {
      if (problem instanceof ApiError && problem.isTransient) {
        this.#postpone(message);
        return;
      }
      this.#refuse(message, problem);
    }
    this.sendNow();
  }

  /** Give a letter back, and those that would have followed. */
  #refuse(message: QueuedMessage, problem: unknown): void {
    for (const letter of [message, ...queue.messagesAfter(this.messages, message)]) {
      this.#drop(letter);
      this.#tell({ kind: 'refused', letter, problem: letter === message ? problem : null });
    }
  }

  #address(message: QueuedMessage, conversationId: string): void {
    const addressed = this.#keep(queue.assignConversation(message, conversationId));
    this.messages = this.messages.map((other) => (other === message ? addressed : other));
  }

  #keep(message: QueuedMessage): QueuedMessage {
    const key = this.#prefix + message.key;
    const kept = writeStored(key, queue.toStored(message, true));
    if (!kept) writeStored(key, queue.toStored(message, false));
    return { ...message, kept };
  }

  #postpone(message: QueuedMessage): void {
    this.messages = queue.postponeMessage(this.messages, message.key);
    this.#later(queue.retryBackoffMs(message.tries + 1));
    this.#tell({ kind: 'postponed', letter: message });
  }

  #later(pause: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.sendNow(), pause);
  }

  #tell(news: OutboxEvent): void {
    const heard = this.#readers.filter((reader) => reader(news));
    if (heard.length === 0) this.#unread(news);
  }

  #drop(message: QueuedMessage): void {
    this.messages = queue.removeMessage(this.messages, message.key);
    removeStored(this.#prefix + message.key);
  }

  #takeUp(key: string, value: unknown): void {
    if (!queue.isStoredMessage(value)) return;
    const message = { ...queue.newMessage(value.body, value.key, value.at, value.thread) };
    if (value.whole) this.messages = queue.addMessages(this.messages, [message]);
    else {
      // Its pictures had no room: the words go back to where they were written.
      removeStored(key);
      this.#unread({ kind: 'refused', letter: message, problem: null });
    }
  }

  #watch(): void {
    addEventListener('online', () => this.sendNow());
    addEventListener('storage', (event) => this.#hearOtherTab(event));
    $effect.root(() => {
      $effect(() => {
        if (live.online) untrack(() => this.sendNow());
      });
    });
  }

  #hearOtherTab({ key, newValue }: StorageEvent): void {
    if (!key?.startsWith(this.#prefix)) return;
    const name = key.slice(this.#prefix.length);
    const value = readStored(key);
    if (newValue === null) this.messages = queue.removeMessage(this.messages, name);
    else if (queue.isStoredMessage(value) && value.whole) {
      this.#takeUp(key, value);
      this.#later(OTHER_TAB_GRACE_MS);
    }
  }

  get #prefix(): string {
    return `tertulia.${this.#owner ?? 'nobody'}.outbox.`;
  }
}

export const outbox = new Outbox();
