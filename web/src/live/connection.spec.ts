// @vitest-environment jsdom
import type { ConversationEvent } from '$api/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerOf } from './answer';
import { Live } from './connection.svelte';

/** The browser's EventSource, with a test in the server's place. */
class Line extends EventTarget {
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static all: Line[] = [];
  readyState = 0;
  onopen = () => undefined;
  onerror = () => undefined;
  onmessage: (message: MessageEvent) => void = () => undefined;

  constructor(readonly url: string) {
    super();
    Line.all.push(this);
  }
  static get now(): Line {
    const line = Line.all.at(-1);
    if (!line) throw new Error('nobody has connected');
    return line;
  }
  static get open(): Line[] {
    return Line.all.filter((line) => line.readyState !== Line.CLOSED);
  }
  get after(): string | null {
    return new URL(this.url, location.href).searchParams.get('after');
  }
  answer(lastEventId: string): void {
    this.readyState = Line.OPEN;
    this.onopen();
    this.ping(lastEventId);
  }
  ping(lastEventId: string): void {
    this.dispatchEvent(new MessageEvent('ping', { data: '{}', lastEventId }));
  }
  say(event: object, lastEventId = ''): void {
    this.onmessage(new MessageEvent('message', { data: JSON.stringify(event), lastEventId }));
  }
  /** Break off, as when the server is gone: the browser would connect again by itself. */
  lose(): void {
    if (this.readyState === Line.CLOSED) throw new Error('nobody tries to connect');
    this.readyState = 0;
    this.onerror();
  }
  fail(): void {
    this.readyState = Line.CLOSED;
    this.onerror();
  }
  close(): void {
    this.readyState = Line.CLOSED;
  }
}

/** Let what was asked for be answered, and the answer be read. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('what an answer without a stream means', () => {
  it.each([
    [401, true, 'signed_out'],
    [401, false, 'signed_out'],
    [403, false, 'signed_out'],
    [403, true, 'unavailable'],
    [404, true, 'unavailable'],
    [404, false, 'trouble'],
    [429, true, 'trouble'],
    [502, true, 'trouble'],
    [200, true, 'trouble'],
    [0, true, 'trouble'],
  ] as const)('%i, with a conversation: %s, is %s', (status, hasConversation, answer) => {
    expect(answerOf(status, hasConversation)).toBe(answer);
  });
});

describe('the live connection', () => {
  let live: Live;
  /** What the server says to whoever asks why there is no stream; 0 where it cannot be reached. */
  let status = 0;
  let hidden = false;

  const show = (isShown: boolean) => {
    hidden = !isShown;
    document.dispatchEvent(new Event('visibilitychange'));
  };

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('EventSource', Line);
    status = 0;
    vi.stubGlobal('fetch', () =>
      status ? Promise.resolve(new Response(null, { status })) : Promise.reject(new TypeError('offline')),
    );
    vi.spyOn(document, 'hidden', 'get').mockImplementation(() => hidden);
    Line.all = [];
    hidden = false;
    live = new Live();
  });
  afterEach(() => {
    live.close();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it('goes on after the last event, in the feed and in the conversation', () => {
    live.follow(null);
    Line.now.answer('4');
    live.follow('cnv_1', 7);
    expect(Line.now.after).toBe('4.7');
    Line.now.answer('4.7');
    Line.now.say({ type: 'round.closed', round_id: 'rnd_1' }, '4.8');
    live.follow(null);
    expect(Line.now.after).toBe('4');
    expect(Line.open).toHaveLength(1);
  });

  it('is let go of where nobody looks, and goes on from there when somebody does', () => {
    live.follow('cnv_1', 7);
    Line.now.answer('4.7');
    show(false);
    expect(Line.open).toHaveLength(0);
    vi.advanceTimersByTime(600_000);
    expect(Line.open).toHaveLength(0);
    expect(live.online).toBe(true);
    show(true);
    expect(Line.now.after).toBe('4.7');
  });

  it('waits to be looked at before it connects at all', () => {
    hidden = true;
    live.follow(null);
    expect(Line.all).toHaveLength(0);
    show(true);
    expect(Line.open).toHaveLength(1);
  });

  it('takes a silence for a dead line, and connects anew', () => {
    live.follow(null);
    Line.now.answer('4');
    const first = Line.now;
    vi.advanceTimersByTime(30_000);
    first.ping('5');
    vi.advanceTimersByTime(30_000);
    expect([Line.now, live.online]).toEqual([first, true]);
    vi.advanceTimersByTime(8_000);
    expect(first.readyState).toBe(Line.CLOSED);
    expect([Line.now.after, live.online]).toEqual(['5', false]);
    Line.now.answer('5');
    expect(live.online).toBe(true);
  });

  it('asks again where no answer comes', () => {
    live.follow(null);
    vi.advanceTimersByTime(10_000);
    expect(live.online).toBe(false);
    expect([Line.all.length, Line.open.length]).toEqual([2, 1]);
  });

  it('finds out at once whether a lost network matters, and that there is one again', async () => {
    live.follow(null);
    Line.now.answer('4');
    window.dispatchEvent(new Event('offline'));
    expect([Line.all.length, live.online]).toEqual([2, true]);
    Line.now.fail();
    await settle();
    expect(live.online).toBe(false);
    window.dispatchEvent(new Event('online'));
    expect(Line.now.after).toBe('4');
    Line.now.answer('4');
    expect(live.online).toBe(true);
  });

  it('asks once more after a network was lost that carried a last request', async () => {
    const network = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    live.follow(null);
    Line.now.answer('4');
    window.dispatchEvent(new Event('offline'));
    Line.now.answer('4');
    vi.advanceTimersByTime(1_000);
    Line.now.fail();
    await settle();
    expect(live.online).toBe(false);
    network.mockRestore();
  });

  it('is back two seconds after the server at the latest, however long that was gone', () => {
    live.follow(null);
    Line.now.answer('4');
    for (let failures = 0; failures < 50; failures++) {
      Line.now.lose();
      expect(live.online).toBe(false);
      vi.advanceTimersByTime(2_000);
    }
    Line.now.answer('4');
    expect(live.online).toBe(true);
    expect(Line.open).toHaveLength(1);
  });

  it('waits a little longer each time there is trouble', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    live.follow(null);
    for (const pause of [250, 500, 1_000, 2_000, 2_000]) {
      const tries = Line.all.length;
      Line.now.fail();
      await settle();
      vi.advanceTimersByTime(pause - 1);
      expect(Line.all).toHaveLength(tries);
      vi.advanceTimersByTime(1);
      expect(Line.all).toHaveLength(tries + 1);
    }
  });

  it('says that events are lost, and goes on from where the server is', () => {
    const heard: ConversationEvent[] = [];
    live.subscribe((event) => heard.push(event));
    live.follow('cnv_1', 7);
    Line.now.say({ type: 'reset' });
    Line.now.answer('9.30');
    live.follow('cnv_1', 31);
    expect(heard).toEqual([{ type: 'reset' }]);
    expect(Line.now.after).toBe('9.31');
  });

  describe('what the feed tells of', () => {
    const fetched = vi.fn();
    beforeEach(() => {
      fetched.mockReset();
      live.onBegin(fetched);
    });

    it('is fetched once when the feed begins, not before', () => {
      live.follow(null);
      live.follow('cnv_1', 7);
      expect(fetched).not.toHaveBeenCalled();
      Line.now.answer('4.7');
      Line.now.ping('5.7');
      vi.advanceTimersByTime(2_000);
      expect(fetched).toHaveBeenCalledOnce();
    });

    it('is not fetched again where the feed goes on from a number', () => {
      live.follow(null);
      Line.now.answer('4');
      Line.now.lose();
      vi.advanceTimersByTime(2_000);
      Line.now.answer('6');
      expect(fetched).toHaveBeenCalledOnce();
    });

    it('is fetched again where events were lost, and for whoever comes after', () => {
      live.follow(null);
      Line.now.answer('4');
      Line.now.say({ type: 'reset' });
      Line.now.ping('9');
      expect(fetched).toHaveBeenCalledTimes(2);
      live.close();
      live.follow(null);
      expect(Line.now.after).toBeNull();
      Line.now.answer('1');
      expect(fetched).toHaveBeenCalledTimes(3);
    });

    it.each([
      ['is refused', () => Line.now.fail()],
      ['is held back', () => vi.advanceTimersByTime(1_000)],
    ])('is fetched all the same where the feed %s, and again when it begins', async (_, happen) => {
      live.follow(null);
      happen();
      await settle();
      expect(fetched).toHaveBeenCalledOnce();
      vi.advanceTimersByTime(2_000);
      Line.now.answer('4');
      expect(fetched).toHaveBeenCalledTimes(2);
    });

    it('is fetched for a tab that nobody looks at', () => {
      hidden = true;
      live.follow(null);
      expect(fetched).toHaveBeenCalledOnce();
    });
  });

  it.each([403, 404])('goes on with the feed where a conversation is refused with %i', async (refusal) => {
    let told = 0;
    status = refusal;
    live.follow('cnv_1', 7, () => told++);
    Line.now.answer('4.7');
    Line.now.lose();
    vi.advanceTimersByTime(2_000);
    Line.now.fail();
    await settle();
    expect([told, Line.now.url]).toEqual([1, '/api/events?after=4']);
    Line.now.answer('4');
    vi.advanceTimersByTime(30_000);
    expect([live.online, Line.open.length, told]).toEqual([true, 1, 1]);
  });

  it('says that nobody is signed in', async () => {
    const onSignedOut = vi.fn();
    live.onSignedOut = onSignedOut;
    status = 401;
    live.follow('cnv_1', 7);
    Line.now.fail();
    await settle();
    expect(onSignedOut).toHaveBeenCalledOnce();
  });

  it('takes a server in trouble for no word about the conversation', async () => {
    const onUnavailable = vi.fn();
    status = 503;
    live.follow('cnv_1', 7, onUnavailable);
    Line.now.fail();
    await settle();
    vi.advanceTimersByTime(2_000);
    expect([live.online, Line.now.after]).toEqual([false, '.7']);
    expect(onUnavailable).not.toHaveBeenCalled();
  });

  it('drops an answer about a conversation that was left meanwhile', async () => {
    const onUnavailable = vi.fn();
    status = 404;
    live.follow('cnv_1', 7, onUnavailable);
    Line.now.fail();
    live.follow('cnv_2', 3);
    await settle();
    expect(onUnavailable).not.toHaveBeenCalled();
    expect(Line.now.url).toContain('conversation=cnv_2');
  });

  it('is over when it is closed', () => {
    live.follow(null);
    live.close();
    show(true);
    vi.advanceTimersByTime(60_000);
    expect(Line.open).toHaveLength(0);
  });
});
