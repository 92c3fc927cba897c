// @vitest-environment jsdom
import { ApiError } from '$api/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as queue from './messageQueue';
import { Outbox, type OutboxEvent, type Turn } from './outbox.svelte';

vi.mock('$app/navigation', () => ({ goto: vi.fn() }));

const asking = (message: string, conversation_id: string | null = null): queue.NewTurn => ({
  message,
  conversation_id,
  parent_id: 'head',
  policy: 'everyone',
  temporary: false,
});
const letters = (...keys: string[]) => keys.map((key, at) => queue.newMessage(asking(key), key, at));

describe('the queue', () => {
  it('keeps the order of writing, and no letter twice', () => {
    const three = letters('a', 'b', 'c');
    const two = queue.addMessages(
      [],
      three.toReversed().filter((message) => message.key !== 'b'),
    );
    expect(queue.addMessages(two, three).map((message) => message.key)).toEqual(['a', 'b', 'c']);
    expect(queue.addMessages(two, two.slice(0, 1))).toBe(two);
  });

  it('sends one letter at a time', () => {
    const all = letters('a', 'b');
    expect(queue.nextToSend(all)?.key).toBe('a');
    expect(queue.nextToSend(queue.markSending(all, 'a'))).toBeNull();
    expect(queue.nextToSend(queue.postponeMessage(queue.markSending(all, 'a'), 'a'))).toMatchObject({
      key: 'a',
      tries: 1,
    });
    expect(queue.nextToSend(queue.removeMessage(all, 'a'))?.key).toBe('b');
  });

  it('seals the key into the body, and knows where the letter was written', () => {
    const message = queue.newMessage(asking('Hello', 'con_1'), 'k', 1);
    expect(message.body.idempotency_key).toBe('k');
    expect(message.place).toBe('con_1');
  });

  it('leaves it to the conversation that has begun whether it is temporary', () => {
    const message = queue.newMessage({ ...asking('Hello'), temporary: true }, 'k', 1);
    expect(queue.assignConversation(message, 'con_1').body).toMatchObject({
      conversation_id: 'con_1',
      temporary: false,
    });
  });

  it('gives words a quarter of a minute, and pictures what a slow line needs', () => {
    const picture = { data: 'x'.repeat(2_000_000) };
    expect(queue.requestTimeoutMs(asking('Hello'))).toBeCloseTo(15_000, -1);
    expect(queue.requestTimeoutMs({ ...asking('Look'), images: [picture] })).toBeCloseTo(55_000, -1);
    expect(queue.requestTimeoutMs({ ...asking('Look'), images: Array(8).fill(picture) })).toBe(90_000);
  });

  it('waits out only what passes, a little longer each time', () => {
    const isPassing = (status: number) => new ApiError(status, '', '').isTransient;
    expect([0, 502, 503, 504].every(isPassing)).toBe(true);
    expect([400, 401, 404, 409, 413, 422, 429, 500, 507].some(isPassing)).toBe(false);
    expect([1, 2, 3, 9].map(queue.retryBackoffMs)).toEqual([1_000, 2_000, 4_000, 30_000]);
  });
});

describe('the outbox', () => {
  const turn = { conversation: { id: 'con_1' } } as Turn;
  const unread: OutboxEvent[] = [];
  let answers: (Turn | ApiError)[] = [];
  let sent: queue.NewTurn[] = [];

  const outbox = () =>
    new Outbox(
      (body) => {
        sent.push(body);
        const answer = answers.shift() ?? turn;
        return answer instanceof ApiError ? Promise.reject(answer) : Promise.resolve(answer);
      },
      (news) => unread.push(news),
    );
  const opened = () => {
    const box = outbox();
    box.open('ana');
    return box;
  };

  beforeEach(() => {
    vi.useFakeTimers();
    localStorage.clear();
    answers = [];
    sent = [];
    unread.length = 0;
  });
  afterEach(() => vi.useRealTimers());

  it('forgets a letter once the server has it', async () => {
    const box = opened();
    box.post(asking('Hello'));
    await vi.advanceTimersByTimeAsync(0);
    expect(box.messages).toEqual([]);
    expect(localStorage).toHaveLength(0);
    expect(unread).toMatchObject([{ kind: 'sent' }]);
  });

  it('sends in the order of writing, although the clock was set back meanwhile', async () => {
    answers = [new ApiError(0, 'offline', 'Unreachable.'), new ApiError(0, 'offline', 'Unreachable.')];
    const box = opened();
    box.post(asking('One'));
    await vi.advanceTimersByTimeAsync(0);
    vi.setSystemTime(Date.now() - 86_400_000);
    box.post(asking('Two'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sent.map(({ message }) => message)).toEqual(['One', 'One', 'One', 'Two']);
  });

  it('sends again with the same key, in order, until the server can be reached', async () => {
    answers = [new ApiError(0, 'offline', 'Unreachable.'), new ApiError(503, 'shutting_down', 'Restarting.')];
    const box = opened();
    box.post(asking('One'));
    box.post(asking('Two'));
    await vi.advanceTimersByTimeAsync(0);
    expect(box.messages.map((message) => message.state)).toEqual(['waiting', 'waiting']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(box.messages).toEqual([]);
    expect(sent.map((body) => body.message)).toEqual(['One', 'One', 'One', 'Two']);
    expect(new Set(sent.map((body) => body.idempotency_key)).size).toBe(2);
  });

  it('keeps what is written in one go in one conversation, also when it begins late', async () => {
    answers = [new ApiError(0, 'offline', 'Unreachable.')];
    const box = opened();
    box.post(asking('One'), 'thread');
    box.post(asking('Two'), 'thread');
    box.post(asking('Elsewhere'), 'other');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sent.slice(1).map((body) => body.conversation_id)).toEqual([null, 'con_1', null]);
    expect(unread.filter(({ kind }) => kind === 'sent').map(({ letter }) => letter.place)).toEqual([
      'new',
      'con_1',
      'new',
    ]);
  });

  it('gives back what would have followed a refused letter', async () => {
    answers = [new ApiError(0, 'offline', 'Unreachable.'), new ApiError(413, 'too_large', 'Too large.')];
    const box = opened();
    box.post(asking('One'), 'thread');
    box.post(asking('Two'), 'thread');
    await vi.advanceTimersByTimeAsync(5_000);
    const refused = unread.filter(({ kind }) => kind === 'refused');
    expect(refused.map(({ letter }) => letter.body.message)).toEqual(['One', 'Two']);
    expect(box.messages).toEqual([]);
    expect(localStorage).toHaveLength(0);
  });

  it('brings a waiting letter back after a reload, to its writer alone', async () => {
    answers = [new ApiError(0, 'offline', 'Unreachable.')];
    opened().post(asking('Hello'));
    await vi.advanceTimersByTimeAsync(0);
    const other = outbox();
    other.open('ben');
    expect(other.messages).toEqual([]);
    answers = [new ApiError(0, 'offline', 'Unreachable.')];
    const again = opened();
    expect(again.messages.map((message) => message.body.message)).toEqual(['Hello']);
    expect(sent[0]?.idempotency_key).toBe(sent[1]?.idempotency_key);
  });

  it('gives a refused letter back and goes on with the next', async () => {
    answers = [new ApiError(429, 'too_many_replies', 'Wait for one.')];
    const box = opened();
    const heard: OutboxEvent[] = [];
    box.listen((news) => heard.push(news) > 0);
    box.post(asking('One'));
    box.post(asking('Two'));
    await vi.advanceTimersByTimeAsync(0);
    expect(heard.map((news) => [news.kind, news.letter.body.message])).toEqual([
      ['refused', 'One'],
      ['sent', 'Two'],
    ]);
    expect(unread).toEqual([]);
  });

  it('lets go of a waiting letter, and not of one under way', async () => {
    answers = [new ApiError(0, 'offline', 'Unreachable.')];
    const box = opened();
    box.post(asking('Hello'));
    const key = box.messages[0]?.key ?? '';
    expect(box.withdraw(key)).toBeNull();
    await vi.advanceTimersByTimeAsync(0);
    expect(box.withdraw(key)?.body.message).toBe('Hello');
    expect(localStorage).toHaveLength(0);
  });

  it('keeps the words where pictures have no room', async () => {
    answers = [new ApiError(0, 'offline', 'Unreachable.')];
    const box = opened();
    const room = vi.spyOn(Storage.prototype, 'setItem').mockImplementationOnce(() => {
      throw new Error('full');
    });
    box.post({ ...asking('Look'), images: [{ data: 'R0lGOD' }] });
    expect(box.messages[0]?.kept).toBe(false);
    room.mockRestore();
    const again = opened();
    expect(again.messages).toEqual([]);
    expect(unread).toMatchObject([{ kind: 'refused', letter: { body: { message: 'Look' } } }]);
  });
});
