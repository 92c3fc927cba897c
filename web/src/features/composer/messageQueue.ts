/** The queue of messages on their way to the server: pure, every change gives a new queue. */
import type { Schemas } from '$api/client';
import { draftScopeOf } from './drafts';

export type NewTurn = Schemas['NewTurn'];

/** A message that the server has not accepted yet. Its key stays the same however often it is sent. */
export interface QueuedMessage {
  readonly key: string;
  readonly place: string;
  readonly body: NewTurn;
  /** What is written in one go belongs to one conversation, also before that has a name. */
  readonly thread: string;
  readonly at: number;
  readonly tries: number;
  readonly state: 'sending' | 'waiting';
  /** Whether a reload would bring it back. */
  readonly kept: boolean;
}
export type MessageQueue = readonly QueuedMessage[];

const RETRY_BACKOFF_MIN_MS = 1_000;
const RETRY_BACKOFF_MAX_MS = 30_000;
const REQUEST_TIMEOUT_MIN_MS = 15_000;
const REQUEST_TIMEOUT_MAX_MS = 90_000;
/** Characters that a slow line takes in a millisecond. */
const SLOW_UPLOAD_CHARS_PER_MS = 50;

/** Write a letter; the key makes the server accept it once, however often it arrives. */
export function newMessage(body: NewTurn, key: string, at: number, thread = key): QueuedMessage {
  const place = draftScopeOf(body.conversation_id ?? null, body.project_id ?? null);
  const sealed = { ...body, idempotency_key: key };
  return { key, place, at, body: sealed, thread, tries: 0, state: 'waiting', kept: true };
}

/** The moment of a new letter: after those of all that wait, also where the clock was set back meanwhile. */
export const nextTimestamp = (queue: MessageQueue, now: number): number =>
  Math.max(now, ...queue.map(({ at }) => at + 1));

/** Add letters that are not there yet; the oldest come first. */
export function addMessages(queue: MessageQueue, letters: MessageQueue): MessageQueue {
  const fresh = letters.filter((message) => !queue.some((other) => other.key === message.key));
  return fresh.length ? [...queue, ...fresh].sort((a, b) => a.at - b.at) : queue;
}

export const removeMessage = (queue: MessageQueue, key: string): MessageQueue =>
  queue.filter((message) => message.key !== key);

/** The letters that wait for this one to begin their conversation. */
export const messagesAfter = (queue: MessageQueue, message: QueuedMessage): MessageQueue =>
  message.body.conversation_id
    ? []
    : queue.filter((other) => other.thread === message.thread && other.key !== message.key);

/** The same letter, now that its conversation has begun. */
export function assignConversation(message: QueuedMessage, conversationId: string): QueuedMessage {
  const body = { ...message.body, conversation_id: conversationId, project_id: null, temporary: false };
  return { ...message, place: draftScopeOf(conversationId, null), body };
}

export const markSending = (queue: MessageQueue, key: string): MessageQueue =>
  change(queue, key, (message) => ({ ...message, state: 'sending' }));

/** The server could not be reached: the letter waits for another try. */
export const postponeMessage = (queue: MessageQueue, key: string): MessageQueue =>
  change(queue, key, (message) => ({ ...message, state: 'waiting', tries: message.tries + 1 }));

/** The letter to send now: the oldest, and one at a time so that they arrive in order. */
export function nextToSend(queue: MessageQueue): QueuedMessage | null {
  return queue.some((message) => message.state === 'sending') ? null : (queue[0] ?? null);
}

/**
 * How long a letter may be on its way, in milliseconds: its words are soon there, pictures take a while on a
 * slow line. Whoever gives up too soon loses nothing, since the key makes a second try safe.
 */
export function requestTimeoutMs({ message, images }: NewTurn): number {
  const size = message.length + (images ?? []).reduce((sum, { data }) => sum + data.length, 0);
  return Math.min(REQUEST_TIMEOUT_MAX_MS, REQUEST_TIMEOUT_MIN_MS + size / SLOW_UPLOAD_CHARS_PER_MS);
}

/** How long to wait after so many tries, in milliseconds. */
export const retryBackoffMs = (tries: number): number =>
  Math.min(RETRY_BACKOFF_MAX_MS, RETRY_BACKOFF_MIN_MS * 2 ** Math.max(0, tries - 1));

/** A letter as it is stored: without pictures when there is no room, and then not to be sent by itself. */
export interface StoredMessage {
  readonly key: string;
  readonly at: number;
  readonly body: NewTurn;
  readonly whole: boolean;
  readonly thread?: string;
}

export const toStored = (message: QueuedMessage, whole: boolean): StoredMessage => ({
  key: message.key,
  at: message.at,
  body: whole ? message.body : { ...message.body, images: [] },
  whole,
  thread: message.thread,
});

/** Tell whether something that was stored is a letter. */
export function isStoredMessage(value: unknown): value is StoredMessage {
  const stored = value as Partial<StoredMessage> | null;
  return (
    typeof stored?.key === 'string' &&
    typeof stored.at === 'number' &&
    typeof stored.whole === 'boolean' &&
    typeof stored.body?.message === 'string'
  );
}

function change(
  queue: MessageQueue,
  key: string,
  to: (message: QueuedMessage) => QueuedMessage,
): MessageQueue {
  return queue.map((message) => (message.key === key ? to(message) : message));
}
