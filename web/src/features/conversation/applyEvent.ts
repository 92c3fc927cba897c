/** What an event does to an open conversation: pure, and what it does not touch stays the same object. */
import type { Conversation, ConversationEvent, Reply, Round, Schemas } from '$api/client';
import { codeUnits, type ToolCall } from '$features/tools/replyParts';

type Mark = Schemas['Mark'];
type Note = Schemas['NoteView'];

/** So much of what a running tool says is kept: its end. */
const TOOL_OUTPUT_MAX_CHARS = 20_000;

export interface ConversationState {
  readonly conversation: Conversation;
  readonly rounds: readonly Round[];
  /** The round before which more can be fetched; null at the start of the conversation. */
  readonly before: string | null;
  /** Why someone waits, by reply. */
  readonly notes: Readonly<Record<string, string>>;
  /** Rounds up to this number reach the models as a summary; 0 where none do. */
  readonly watermark: number;
  readonly deleted: boolean;
}

export function applyEvent(state: ConversationState, event: ConversationEvent): ConversationState {
  switch (event.type) {
    case 'round.opened':
      return event.round.conversation_id === state.conversation.id ? withRound(state, event.round) : state;
    case 'reply.added':
      return changeRound(state, event.reply.round_id, (round) => addReply(round, event.reply));
    case 'reply.started':
      return changeReply(state, event.reply_id, (reply) =>
        isWriting(reply) ? { ...reply, status: 'running', passages: event.passages } : reply,
      );
    case 'reply.text':
      return changeReply(clearNote(state, event.reply_id), event.reply_id, (reply) => ({
        ...reply,
        content: spliceText(reply.content, event.offset, event.text),
      }));
    case 'reply.thinking':
      return changeReply(clearNote(state, event.reply_id), event.reply_id, (reply) => ({
        ...reply,
        thinking: spliceText(reply.thinking, event.offset, event.text),
      }));
    case 'reply.tool_call':
      return changeReply(state, event.reply_id, (reply) => ({
        ...reply,
        tool_calls: withCall(reply.tool_calls, event.call),
      }));
    case 'reply.tool_output':
      return changeReply(state, event.reply_id, (reply) => ({
        ...reply,
        tool_calls: reply.tool_calls.map((call) =>
          call.id === event.call_id ? withOutput(call, event.text, event.share) : call,
        ),
      }));
    case 'reply.waiting':
      return changeReply(clearNote(state, event.reply_id), event.reply_id, (reply) =>
        isWriting(reply) ? { ...reply, status: 'waiting' } : reply,
      );
    case 'reply.noted':
      return changeReply(state, event.reply_id, (reply) => ({
        ...reply,
        notes: withNote(reply.notes, event.note),
      }));
    case 'reply.status':
      return isWriting(replyOf(state, event.reply_id))
        ? { ...state, notes: { ...state.notes, [event.reply_id]: event.message } }
        : state;
    case 'reply.closed':
      return changeReply(clearNote(state, event.reply.id), event.reply.id, (reply) => ({
        ...event.reply,
        content: event.omitted_content_chars ? reply.content : event.reply.content,
        thinking: event.omitted_thinking_chars ? reply.thinking : event.reply.thinking,
      }));
    case 'message.marked':
      return changeMessage(state, event.message_id, event.marks);
    case 'context.changed':
      return { ...state, watermark: event.watermark };
    case 'conversation.changed':
      return isNews(state, event.conversation) ? { ...state, conversation: event.conversation } : state;
    case 'conversation.deleted':
      return event.conversation_id === state.conversation.id ? { ...state, deleted: true } : state;
    default:
      return state;
  }
}

/** Tell whether an event cannot be understood without something that was missed: fetch anew. */
export function needsReload(state: ConversationState, event: ConversationEvent): boolean {
  switch (event.type) {
    case 'reset':
      return true;
    case 'reply.text':
      return event.offset > lengthOf(replyOf(state, event.reply_id)?.content ?? null);
    case 'reply.thinking':
      return event.offset > lengthOf(replyOf(state, event.reply_id)?.thinking ?? null);
    case 'reply.closed': {
      const { omitted_content_chars: content, omitted_thinking_chars: thinking } = event;
      const reply = replyOf(state, event.reply.id);
      if (!reply) return false;
      return isMissed(reply.content, content) || isMissed(reply.thinking, thinking);
    }
    case 'round.opened': {
      const { id, parent_id, conversation_id } = event.round;
      if (conversation_id !== state.conversation.id || parent_id === null) return false;
      return !state.rounds.some((round) => round.id === id || round.id === parent_id);
    }
    case 'conversation.changed':
      // Another branch is shown now, chosen in another tab; or it was deleted, and is restored.
      return (
        isNews(state, event.conversation) &&
        (state.deleted || event.conversation.head_id !== (state.rounds.at(-1)?.id ?? null))
      );
    default:
      return false;
  }
}

/** Tell whether the round that was the last is no longer shown: another summary may hold. */
export const hasSwitchedBranch = (before: ConversationState, now: ConversationState): boolean =>
  before.rounds.length > 0 && !now.rounds.some(({ id }) => id === before.rounds.at(-1)?.id);

/** The feed may repeat what a conversation was before it was fetched: that is no news. */
const isNews = ({ conversation }: ConversationState, changed: Conversation): boolean =>
  changed.id === conversation.id && changed.sort_key >= conversation.sort_key;

const UNFINISHED_STATUSES: readonly Reply['status'][] = ['queued', 'running', 'waiting'];

/** Tell whether more of a reply will come, perhaps only after a person's yes. */
export const isWriting = (reply: Reply | undefined): boolean =>
  reply !== undefined && UNFINISHED_STATUSES.includes(reply.status);

/** Put a piece where it belongs; offsets count characters, so a piece heard twice changes nothing. */
export function spliceText(text: string, offset: number, piece: string): string {
  if (lengthOf(text) === offset) return text + piece;
  const start = codeUnits(text, offset);
  return text.slice(0, start) + piece + text.slice(start + codeUnits(text.slice(start), lengthOf(piece)));
}

const SURROGATE_PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

/** The number of characters, of which one may take two of JavaScript's units; unknown text has no end. */
function lengthOf(text: string | null): number {
  return text === null ? Infinity : text.length - (text.match(SURROGATE_PAIRS)?.length ?? 0);
}

/** Tell whether a text that an event leaves out is not all here. */
const isMissed = (text: string, omitted = 0): boolean => omitted > 0 && lengthOf(text) !== omitted;

/** A new round ends the branch that it goes on from; one beside it replaces what was shown there. */
function withRound(state: ConversationState, round: Round): ConversationState {
  if (state.rounds.some((other) => other.id === round.id)) return state;
  const parent = state.rounds.findIndex((other) => other.id === round.parent_id);
  const rounds = [...state.rounds.slice(0, parent + 1), round];
  return { ...state, rounds, before: parent < 0 ? null : state.before };
}

function replyOf(state: ConversationState, id: string): Reply | undefined {
  for (let place = state.rounds.length - 1; place >= 0; place--) {
    const found = state.rounds[place]?.replies.find((reply) => reply.id === id);
    if (found) return found;
  }
  return undefined;
}

function addReply(round: Round, reply: Reply): Round {
  if (round.replies.some((other) => other.id === reply.id)) return round;
  return { ...round, replies: [...round.replies, reply] };
}

function changeRound(
  state: ConversationState,
  id: string,
  change: (round: Round) => Round,
): ConversationState {
  return { ...state, rounds: state.rounds.map((round) => (round.id === id ? change(round) : round)) };
}

function changeReply(
  state: ConversationState,
  id: string,
  change: (reply: Reply) => Reply,
): ConversationState {
  const place = state.rounds.findLastIndex((round) => round.replies.some((reply) => reply.id === id));
  const round = state.rounds[place];
  if (!round) return state;
  const replies = round.replies.map((reply) => (reply.id === id ? change(reply) : reply));
  return { ...state, rounds: state.rounds.with(place, { ...round, replies }) };
}

function changeMessage(state: ConversationState, id: string, marks: Mark[]): ConversationState {
  const place = state.rounds.findLastIndex(({ question }) => question.id === id);
  const round = state.rounds[place];
  if (!round) return changeReply(state, id, (reply) => ({ ...reply, marks }));
  const question = { ...round.question, marks };
  return { ...state, rounds: state.rounds.with(place, { ...round, question }) };
}

/** Calls as they stand now, in the order in which they were asked for. */
function withCall(calls: readonly ToolCall[], call: ToolCall): ToolCall[] {
  const place = calls.findIndex(({ id }) => id === call.id);
  if (place < 0) return [...calls, call].toSorted((a, b) => a.step - b.step);
  const output = call.status === 'running' ? calls[place]?.output : undefined;
  return calls.with(place, output === undefined ? call : { ...call, output });
}

function withOutput(call: ToolCall, text: string, share?: number | null): ToolCall {
  if (call.status !== 'running') return call;
  const output = (call.output + text).slice(-TOOL_OUTPUT_MAX_CHARS);
  return { ...call, output, share: share ?? call.share ?? null };
}

/** A note that was read stays read, though older news of it may come again. */
function withNote(notes: readonly Note[], note: Note): Note[] {
  const place = notes.findIndex(({ id }) => id === note.id);
  const known = notes[place];
  return known ? notes.with(place, { ...note, taken: note.taken || known.taken }) : [...notes, note];
}

function clearNote(state: ConversationState, id: string): ConversationState {
  if (!(id in state.notes)) return state;
  const notes = Object.fromEntries(Object.entries(state.notes).filter(([reply]) => reply !== id));
  return { ...state, notes };
}
