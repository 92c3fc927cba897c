import { describe, expect, it } from 'vitest';
import type { Conversation, ConversationEvent, Reply, Round } from '$api/client';
import type { ToolCall } from '$features/tools/replyParts';
import {
  applyEvent,
  hasSwitchedBranch,
  isWriting,
  needsReload,
  spliceText,
  type ConversationState,
} from './applyEvent';

const MOMENT = '2026-01-01T00:00:00Z';

const conversation = (more: Partial<Conversation> = {}): Conversation => ({
  id: 'c',
  owner_id: 'u',
  project_id: null,
  anchor: { kind: 'workspace', id: null },
  origin: 'app',
  title: null,
  title_by: 'nobody',
  visibility: 'private',
  instructions: '',
  head_id: 'r1',
  round_count: 1,
  archived: false,
  pinned: false,
  context: {},
  created_at: MOMENT,
  updated_at: MOMENT,
  sort_key: '5',
  waiting: 0,
  temporary: false,
  ...more,
});
const reply = (id: string, more: Partial<Reply> = {}): Reply => ({
  id,
  passages: [],
  marks: [],
  round_id: 'r1',
  lane: 'm',
  model: 'm',
  kind: 'answer',
  attempt: 1,
  continues: null,
  effort: null,
  status: 'queued',
  content: '',
  thinking: '',
  error: null,
  usage: null,
  cost: null,
  tool_calls: [],
  notes: [],
  notice: '',
  created_at: MOMENT,
  started_at: null,
  first_token_at: null,
  finished_at: null,
  ...more,
});
const round = (id: string, parent: string | null, ...replies: Reply[]): Round => ({
  id,
  conversation_id: 'c',
  parent_id: parent,
  number: 1,
  policy: 'everyone',
  question: {
    id: `q-${id}`,
    round_id: id,
    parent_id: null,
    speaker: 'user',
    content: '?',
    thinking: '',
    attachments: [],
    created_at: MOMENT,
  },
  replies,
  siblings: [id],
  created_at: MOMENT,
});
const opened = (...rounds: Round[]): ConversationState => ({
  conversation: conversation({ head_id: rounds.at(-1)?.id ?? null }),
  rounds,
  before: null,
  notes: {},
  watermark: 0,
  deleted: false,
});
const text = (offset: number, piece: string): ConversationEvent => ({
  type: 'reply.text',
  reply_id: 'a',
  offset,
  text: piece,
});
const contentOf = (state: ConversationState, id = 'a'): string | undefined =>
  state.rounds.flatMap(({ replies }) => replies).find((answer) => answer.id === id)?.content;

/** Numbers that look random and are the same in every run. */
function* dice(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1103515245 + 12345) % 2147483648;
    yield state / 2147483648;
  }
}

describe('the text of a reply', () => {
  const WHOLE = 'Héllo 👋🏽 wörld — 日本語 𝒳², and 👩‍👩‍👧 too.\n\n```js\nconst a = "𝄞";\n```\n';

  it('is the same however it is split, doubled and replayed', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const die = dice(seed);
      const roll = (sides: number): number => Math.floor(die.next().value * sides);
      const characters = Array.from(WHOLE);
      const events: ConversationEvent[] = [];
      for (let offset = 0; offset < characters.length;) {
        const size = 1 + roll(9);
        events.push(text(offset, characters.slice(offset, offset + size).join('')));
        offset += size;
        if (roll(4) === 0) events.push(...events.slice(roll(events.length)));
      }
      const state = events.reduce(
        (before, event) => {
          expect(needsReload(before, event)).toBe(false);
          return applyEvent(before, event);
        },
        opened(round('r1', null, reply('a'))),
      );
      expect(contentOf(state)).toBe(WHOLE);
    }
  });

  it('is not guessed when a piece is missing', () => {
    const state = opened(round('r1', null, reply('a', { content: 'ab👋' })));
    expect(needsReload(state, text(3, 'c'))).toBe(false);
    expect(needsReload(state, text(4, 'd'))).toBe(true);
    expect(needsReload(state, { ...text(9, 'd'), reply_id: 'elsewhere' } as ConversationEvent)).toBe(false);
  });

  it('counts characters, not units', () => {
    expect(spliceText('👋a', 1, 'b')).toBe('👋b');
    expect(spliceText('👋', 1, '!')).toBe('👋!');
    expect(spliceText('ab', 0, '👋')).toBe('👋b');
  });
});

describe('an event', () => {
  it('leaves what it does not touch the same object', () => {
    const state = opened(round('r0', null, reply('z')), round('r1', 'r0', reply('a'), reply('b')));
    const next = applyEvent(state, text(0, 'hello'));
    expect(next.rounds[0]).toBe(state.rounds[0]);
    expect(next.rounds[1]?.replies[1]).toBe(state.rounds[1]?.replies[1]);
  });

  it('adds a round at the end once, and replaces a branch beside it', () => {
    const state = opened(round('r1', null), round('r2', 'r1'));
    const event: ConversationEvent = { type: 'round.opened', round: round('r3', 'r1'), sort_key: '6' };
    const next = applyEvent(applyEvent(state, event), event);
    expect(next.rounds.map(({ id }) => id)).toEqual(['r1', 'r3']);
  });

  it('begins the conversation anew when the first question is worded anew', () => {
    const state = { ...opened(round('r1', null)), before: 'r0' };
    const next = applyEvent(state, { type: 'round.opened', round: round('r9', null), sort_key: '6' });
    expect([next.rounds.map(({ id }) => id), next.before]).toEqual([['r9'], null]);
  });

  it('of another conversation changes nothing', () => {
    const state = opened(round('r1', null));
    const other = { ...round('x', null), conversation_id: 'other' };
    expect(applyEvent(state, { type: 'round.opened', round: other, sort_key: '6' })).toBe(state);
    expect(applyEvent(state, { type: 'conversation.deleted', conversation_id: 'other' })).toBe(state);
  });

  it('brings back a conversation that was deleted and is restored', () => {
    const state = opened(round('r1', null));
    const news = {
      type: 'conversation.changed',
      conversation: { ...state.conversation, head_id: 'r1' },
    } as const;
    const deleted = applyEvent(state, {
      type: 'conversation.deleted',
      conversation_id: state.conversation.id,
    });
    expect(deleted.deleted).toBe(true);
    expect(needsReload(state, news)).toBe(false);
    expect(needsReload(deleted, news)).toBe(true);
  });

  it('cannot be understood when its round follows one that is not here', () => {
    const state = opened(round('r5', 'r4'));
    expect(needsReload(state, { type: 'round.opened', round: round('r6', 'r5'), sort_key: '6' })).toBe(false);
    expect(needsReload(state, { type: 'round.opened', round: round('r6', 'r2'), sort_key: '6' })).toBe(true);
  });

  it('tells that another branch is shown, unless it is old news', () => {
    const state = opened(round('r1', null));
    const changed = (more: Partial<Conversation>): ConversationEvent => ({
      type: 'conversation.changed',
      conversation: conversation(more),
    });
    expect(needsReload(state, changed({ head_id: 'r1', title: 'New' }))).toBe(false);
    expect(needsReload(state, changed({ head_id: 'r2' }))).toBe(true);
    const old = changed({ head_id: 'r0', title: 'Old', sort_key: '4' });
    expect(needsReload(state, old)).toBe(false);
    expect(applyEvent(state, old)).toBe(state);
  });

  it('takes what came later for news, although the clock was set back', () => {
    const state = opened(round('r1', null));
    const later = conversation({ title: 'New', sort_key: '6', updated_at: '2024-01-01T00:00:00Z' });
    const event: ConversationEvent = { type: 'conversation.changed', conversation: later };
    expect(applyEvent(state, event).conversation).toBe(later);
  });

  it('does not wake a reply that is final, and a note goes with the first word', () => {
    const done = opened(round('r1', null, reply('a', { status: 'done', content: 'x' })));
    const started: ConversationEvent = {
      type: 'reply.started',
      round_id: 'r1',
      reply_id: 'a',
      passages: [],
    };
    expect(applyEvent(done, started).rounds[0]?.replies[0]?.status).toBe('done');
    const note: ConversationEvent = {
      type: 'reply.status',
      reply_id: 'a',
      code: 'busy',
      message: 'Busy.',
      wait_seconds: 1,
    };
    expect(applyEvent(done, note).notes).toEqual({});
    const waiting = applyEvent(opened(round('r1', null, reply('a'))), note);
    expect(waiting.notes).toEqual({ a: 'Busy.' });
    expect(applyEvent(waiting, text(0, 'x')).notes).toEqual({});
  });

  it('adds a further attempt once', () => {
    const state = opened(round('r1', null, reply('a')));
    const added: ConversationEvent = { type: 'reply.added', reply: reply('b', { attempt: 2 }) };
    expect(applyEvent(applyEvent(state, added), added).rounds[0]?.replies.map(({ id }) => id)).toEqual([
      'a',
      'b',
    ]);
  });
});

it('shows the passages that a model was given as soon as it is asked', () => {
  const passages = [{ number: 1, kind: 'file', path: 'a.md' }] as Reply['passages'];
  const started: ConversationEvent = { type: 'reply.started', round_id: 'r1', reply_id: 'a', passages };
  const shown = applyEvent(opened(round('r1', null, reply('a'))), started).rounds[0]?.replies[0];
  expect(shown?.passages).toEqual(passages);
  expect(shown?.status).toBe('running');
});

describe('the marks of a message', () => {
  const marked = (message_id: string, ...marks: Reply['marks']): ConversationEvent => ({
    type: 'message.marked',
    message_id,
    marks,
  });
  const state = opened(round('r1', null, reply('a')), round('r2', 'r1', reply('b')));

  it('are those that were told last, on a question', () => {
    const next = applyEvent(
      applyEvent(state, marked('q-r1', 'excluded')),
      marked('q-r1', 'pinned', 'local_only'),
    );
    expect(next.rounds[0]?.question.marks).toEqual(['pinned', 'local_only']);
    expect(next.rounds[0]?.replies).toBe(state.rounds[0]?.replies);
    expect(next.rounds[1]).toBe(state.rounds[1]);
  });

  it('are those that were told last, on a reply', () => {
    const next = applyEvent(state, marked('b', 'excluded'));
    expect(next.rounds[1]?.replies[0]?.marks).toEqual(['excluded']);
    expect(next.rounds[1]?.question).toBe(state.rounds[1]?.question);
    expect(applyEvent(next, marked('b')).rounds[1]?.replies[0]?.marks).toEqual([]);
  });

  it('of a message that is not here change nothing', () => {
    expect(applyEvent(state, marked('elsewhere', 'pinned'))).toBe(state);
    expect(needsReload(state, marked('elsewhere', 'pinned'))).toBe(false);
  });
});

describe('what reaches the models as a summary', () => {
  const state = opened(round('r1', null), round('r2', 'r1'));
  const changed = (watermark: number): ConversationEvent => ({
    type: 'context.changed',
    summary_id: watermark ? 's' : null,
    watermark,
  });

  it('goes up to the round that was told last', () => {
    expect(applyEvent(state, changed(2)).watermark).toBe(2);
    expect(applyEvent(applyEvent(state, changed(2)), changed(0)).watermark).toBe(0);
    expect(applyEvent(state, changed(2)).rounds).toBe(state.rounds);
  });

  it('may be something else on another branch', () => {
    const onward = applyEvent(state, { type: 'round.opened', round: round('r3', 'r2'), sort_key: '6' });
    const beside = applyEvent(state, { type: 'round.opened', round: round('r3', 'r1'), sort_key: '6' });
    expect([hasSwitchedBranch(state, onward), hasSwitchedBranch(state, beside)]).toEqual([false, true]);
    expect(hasSwitchedBranch(opened(), onward)).toBe(false);
  });
});

describe('a reply at work', () => {
  const call = (id: string, more: Partial<ToolCall> = {}): ToolCall => ({
    id,
    name: 'look',
    arguments: '{}',
    step: 1,
    at: 0,
    effect: 'read',
    status: 'running',
    result: '',
    length: 0,
    output: '',
    changed: false,
    asked_by: '',
    summary: '',
    ...more,
  });
  const called = (id: string, more: Partial<ToolCall> = {}): ConversationEvent => ({
    type: 'reply.tool_call',
    reply_id: 'a',
    call: call(id, more),
  });
  const said = (id: string, output: string, share: number | null = null): ConversationEvent => ({
    type: 'reply.tool_output',
    reply_id: 'a',
    call_id: id,
    text: output,
    share,
  });
  const noted = (id: string, taken: boolean): ConversationEvent => ({
    type: 'reply.noted',
    reply_id: 'a',
    note: { id, text: 'Be brief', taken },
  });
  const waits: ConversationEvent = { type: 'reply.waiting', reply_id: 'a' };
  const state = opened(round('r1', null, reply('a', { status: 'running' }), reply('b')));
  const after = (...events: ConversationEvent[]): Reply =>
    events.reduce(applyEvent, state).rounds[0]?.replies[0] as Reply;
  const callsOf = ({ tool_calls }: Reply): readonly ToolCall[] => tool_calls;

  it('has each call once, as it stands now, in the order of its steps', () => {
    const calls = callsOf(
      after(called('z'), called('y', { step: 2 }), called('x'), called('z', { status: 'done', result: '3' })),
    );
    expect(calls.map(({ id, status }) => [id, status])).toEqual([
      ['z', 'done'],
      ['x', 'running'],
      ['y', 'running'],
    ]);
  });

  it('shows what a tool says while it runs, and then what it gave', () => {
    const events = [called('x'), called('y'), said('x', 'one '), said('x', 'two'), called('x')];
    expect(callsOf(after(...events)).map(({ output }) => output)).toEqual(['one two', '']);
    const [ended] = callsOf(
      after(...events, called('x', { status: 'done', result: '3' }), said('x', 'late')),
    );
    expect([ended?.result, ended?.output]).toEqual(['3', '']);
  });

  it('shows how far a tool is, as last heard', () => {
    const [call] = callsOf(after(called('x'), said('x', '', 0.25), said('x', 'on it')));
    expect(call?.share).toBe(0.25);
  });

  it('keeps the end of what a talkative tool says', () => {
    const [talkative] = callsOf(after(called('x'), said('x', 'a'.repeat(30_000)), said('x', 'end')));
    expect(talkative?.output?.length).toBe(20_000);
    expect(talkative?.output?.endsWith('aend')).toBe(true);
  });

  it('waits for a yes without being over, and goes on after it', () => {
    const waiting = after(called('x', { status: 'waiting' }), waits);
    expect([waiting.status, isWriting(waiting)]).toEqual(['waiting', true]);
    const started: ConversationEvent = {
      type: 'reply.started',
      round_id: 'r1',
      reply_id: 'a',
      passages: [],
    };
    expect(after(waits, started).status).toBe('running');
    const over = opened(round('r1', null, reply('a', { status: 'stopped' })));
    expect(applyEvent(over, waits).rounds[0]?.replies[0]?.status).toBe('stopped');
  });

  it('knows what it was told, and does not forget that it has read it', () => {
    expect(after(noted('n', false)).notes).toEqual([{ id: 'n', text: 'Be brief', taken: false }]);
    const read = after(noted('n', false), noted('m', false), noted('n', true), noted('n', false)).notes;
    expect(read.map(({ id, taken }) => [id, taken])).toEqual([
      ['n', true],
      ['m', false],
    ]);
  });

  it('leaves the replies beside it alone', () => {
    const next = [called('x'), said('x', 'one'), noted('n', false), waits].reduce(applyEvent, state);
    expect(next.rounds[0]?.replies[1]).toBe(state.rounds[0]?.replies[1]);
  });
});

it('is ignored when nobody here knows it', () => {
  const state = opened(round('r1', null));
  const unknown = { type: 'weather.changed', sunny: true } as unknown as ConversationEvent;
  expect(applyEvent(state, unknown)).toBe(state);
  expect(needsReload(state, unknown)).toBe(false);
});

describe('a closing event that leaves a long text out', () => {
  const closing = (content: number, thinking: number): ConversationEvent => ({
    type: 'reply.closed',
    reply: reply('a', { status: 'done' }),
    omitted_content_chars: content,
    omitted_thinking_chars: thinking,
  });
  const heard = opened(
    round('r1', null, reply('a', { status: 'running', content: 'Hello 👋', thinking: 'Hm' })),
  );

  it('keeps the text that was heard', () => {
    expect(needsReload(heard, closing(7, 2))).toBe(false);
    const closed = applyEvent(heard, closing(7, 2)).rounds[0]?.replies[0];
    expect(closed).toMatchObject({ status: 'done', content: 'Hello 👋', thinking: 'Hm' });
  });

  it('has it fetched where something was missed', () => {
    expect(needsReload(heard, closing(8, 2))).toBe(true);
    expect(needsReload(heard, closing(7, 3))).toBe(true);
    expect(needsReload(heard, closing(0, 0))).toBe(false);
  });
});
