/** What an event does to an open conversation: pure, and what it does not touch stays the same object. */
import type { Conversation, ConversationEvent, Reply, Round } from '$api/client';

export interface Opened {
  readonly conversation: Conversation;
  readonly rounds: readonly Round[];
  /** The round before which more can be fetched; null at the start of the conversation. */
  readonly before: string | null;
  /** Why someone waits, by reply. */
  readonly notes: Readonly<Record<string, string>>;
  readonly deleted: boolean;
}

export function apply(state: Opened, event: ConversationEvent): Opened {
  switch (event.type) {
    case 'round.opened':
      return { ...state, rounds: withRound(state.rounds, event.round) };
    case 'reply.added':
      return changeRound(state, event.reply.round_id, (round) => addReply(round, event.reply));
    case 'reply.started':
      return changeReply(state, event.reply_id, (reply) => ({ ...reply, status: 'running' }));
    case 'reply.text':
      return changeReply(unnoted(state, event.reply_id), event.reply_id, (reply) => ({
        ...reply,
        content: spliced(reply.content, event.offset, event.text),
      }));
    case 'reply.thinking':
      return changeReply(state, event.reply_id, (reply) => ({
        ...reply,
        thinking: spliced(reply.thinking, event.offset, event.text),
      }));
    case 'reply.tool_call': {
      const call = { id: event.call_id, name: event.name, arguments: event.arguments };
      return changeReply(state, event.reply_id, (reply) => ({
        ...reply,
        tool_calls: [...reply.tool_calls.filter((one) => one.id !== call.id), call],
      }));
    }
    case 'reply.status':
      return { ...state, notes: { ...state.notes, [event.reply_id]: event.message } };
    case 'reply.closed':
      return changeReply(unnoted(state, event.reply.id), event.reply.id, () => event.reply);
    case 'conversation.changed':
      return event.conversation.id === state.conversation.id
        ? { ...state, conversation: event.conversation }
        : state;
    case 'conversation.deleted':
      return event.conversation_id === state.conversation.id ? { ...state, deleted: true } : state;
    default:
      return state;
  }
}

/** Put a piece where it belongs; offsets count characters, so a piece heard twice changes nothing. */
export function spliced(text: string, offset: number, piece: string): string {
  const whole = Array.from(text);
  if (whole.length === offset) return text + piece;
  return whole.slice(0, offset).join('') + piece + whole.slice(offset + Array.from(piece).length).join('');
}

/** A new round ends the branch that it goes on from; one beside it replaces what was shown there. */
function withRound(rounds: readonly Round[], round: Round): readonly Round[] {
  if (rounds.some((one) => one.id === round.id)) return rounds;
  const parent = rounds.findIndex((one) => one.id === round.parent_id);
  return [...rounds.slice(0, parent + 1), round];
}

function addReply(round: Round, reply: Reply): Round {
  if (round.replies.some((one) => one.id === reply.id)) return round;
  return { ...round, replies: [...round.replies, reply] };
}

function changeRound(state: Opened, id: string, change: (round: Round) => Round): Opened {
  return { ...state, rounds: state.rounds.map((round) => (round.id === id ? change(round) : round)) };
}

function changeReply(state: Opened, id: string, change: (reply: Reply) => Reply): Opened {
  const place = state.rounds.findLastIndex((round) => round.replies.some((reply) => reply.id === id));
  const round = state.rounds[place];
  if (!round) return state;
  const replies = round.replies.map((reply) => (reply.id === id ? change(reply) : reply));
  return { ...state, rounds: state.rounds.with(place, { ...round, replies }) };
}

function unnoted(state: Opened, id: string): Opened {
  if (!(id in state.notes)) return state;
  const notes = Object.fromEntries(Object.entries(state.notes).filter(([reply]) => reply !== id));
  return { ...state, notes };
}
