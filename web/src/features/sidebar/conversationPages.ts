/** The list of conversations and what news do to it: pure, and what they do not touch stays the same object. */
import type { Conversation, ConversationEvent, Round } from '$api/client';
import { dayHeading } from '$lib/times';

export interface ConversationPages {
  /** The latest used first, as the server lists them. */
  readonly items: readonly Conversation[];
  /** Where the list goes on; null at its end. */
  readonly next: string | null;
}

export interface ListFilter {
  readonly archived: boolean;
  readonly search: string;
}

export interface ConversationGroup {
  readonly name: string;
  readonly items: readonly Conversation[];
}

export const EMPTY_LIST: ConversationPages = { items: [], next: null };

/** Return the list after an event. */
export function applyEventToList(
  list: ConversationPages,
  event: ConversationEvent,
  view: ListFilter,
): ConversationPages {
  switch (event.type) {
    case 'conversation.changed':
      return putConversation(list, event.conversation, view);
    case 'conversation.deleted':
      return removeConversation(list, event.conversation_id);
    case 'round.opened':
      return moveToTop(list, event.round, event.sort_key);
    default:
      return list;
  }
}

/** Put a conversation where it belongs in this view, or take it out. News older than what is here are none. */
export function putConversation(
  list: ConversationPages,
  conversation: Conversation,
  view: ListFilter,
): ConversationPages {
  const here = list.items.find((item) => item.id === conversation.id);
  if (here && conversation.sort_key < here.sort_key) return list;
  if (!belongs(conversation, view)) return removeConversation(list, conversation.id);
  if (!here && isBeyond(list, conversation)) return list;
  const others = list.items.filter((item) => item.id !== conversation.id);
  return { ...list, items: [...others, conversation].sort(latestFirst) };
}

/** Take a conversation out. */
export function removeConversation(list: ConversationPages, id: string): ConversationPages {
  const items = list.items.filter((item) => item.id !== id);
  return items.length === list.items.length ? list : { ...list, items };
}

/** Add the page that follows; what is here already is not listed twice. */
export function appendPage(list: ConversationPages, page: ConversationPages): ConversationPages {
  const known = new Set(list.items.map((item) => item.id));
  const fresh = page.items.filter((item) => !known.has(item.id));
  return { items: [...list.items, ...fresh].sort(latestFirst), next: page.next };
}

/** Group for reading: what is pinned first, then by day. */
export function groupByDay(
  items: readonly Conversation[],
  pinned: string,
  now = new Date(),
): ConversationGroup[] {
  const groups = new Map<string, Conversation[]>();
  if (items.some((item) => item.pinned)) groups.set(pinned, []);
  for (const item of items) {
    const name = item.pinned ? pinned : dayHeading(item.updated_at, now);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return [...groups].map(([name, members]) => ({ name, items: members }));
}

function moveToTop(list: ConversationPages, round: Round, sort_key: string): ConversationPages {
  const here = list.items.find((item) => item.id === round.conversation_id);
  if (!here || sort_key <= here.sort_key) return list;
  const used = { ...here, sort_key, updated_at: round.created_at };
  return { ...list, items: list.items.map((item) => (item === here ? used : item)).sort(latestFirst) };
}

/** Tell whether a conversation is listed in a view; no search finds a temporary one. */
function belongs(conversation: Conversation, view: ListFilter): boolean {
  const wanted = view.search.trim().toLowerCase();
  return (
    conversation.archived === view.archived &&
    conversation.origin !== 'api' &&
    (!wanted || (!conversation.temporary && (conversation.title ?? '').toLowerCase().includes(wanted)))
  );
}

/** Whether its place is on a page that was not fetched yet. What is pinned is all here, however old. */
function isBeyond(list: ConversationPages, conversation: Conversation): boolean {
  if (conversation.pinned) return false;
  const last = list.items.findLast((item) => !item.pinned);
  return list.next !== null && last !== undefined && latestFirst(last, conversation) < 0;
}

function latestFirst(a: Conversation, b: Conversation): number {
  return a.sort_key < b.sort_key ? 1 : -1;
}
