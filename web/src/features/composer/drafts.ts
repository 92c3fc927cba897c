/** What was written and not yet sent: where it is kept, and how text comes back. */
import { writeStored, readStored } from '$lib/storage';
import { isSeat, type Seat } from './table';

/** A message that came back, and when it was written. */
export interface ReturnedText {
  readonly at: number;
  readonly text: string;
}

/** What stands in a composer, and which messages it begins with that came back. */
export interface WrittenText {
  readonly text: string;
  readonly returned: readonly ReturnedText[];
}

export interface Draft extends WrittenText {
  /** The one model this message is for; null when it is for the whole table. */
  readonly to: Seat | null;
  /** The conversation that was made for its files; null where none was. */
  readonly conversationId: string | null;
  /** Whether it begins a temporary conversation. */
  readonly temporary: boolean;
}

/** Where one writes: in a conversation, or at a new one (of a project). */
export function draftScopeOf(conversationId: string | null, projectId: string | null): string {
  if (conversationId) return conversationId;
  return projectId ? `new.${projectId}` : 'new';
}

export const draftKey = (owner: string, place: string): string => `tertulia.${owner}.draft.${place}`;

/** Read a stored draft; anything else is an empty one. */
export function parseDraft(stored: unknown): Draft {
  const draft = stored as Partial<Draft> | null;
  return {
    text: typeof draft?.text === 'string' ? draft.text : '',
    returned: Array.isArray(draft?.returned) ? draft.returned.filter(isReturnedText) : [],
    to: isSeat(draft?.to) ? draft.to : null,
    conversationId: typeof draft?.conversationId === 'string' ? draft.conversationId : null,
    temporary: draft?.temporary === true,
  };
}

function isReturnedText(value: unknown): value is ReturnedText {
  const returned = value as Partial<ReturnedText> | null;
  return typeof returned?.at === 'number' && typeof returned.text === 'string';
}

/** Put a message back into a place's draft; false where the browser has no room for it. */
export function addToDraft(owner: string, place: string, message: ReturnedText, temporary = false): boolean {
  const key = draftKey(owner, place);
  const draft = parseDraft(readStored(key));
  const written = returnText(draft, message);
  return writeStored(key, { ...draft, ...written, temporary: draft.temporary || temporary });
}

/** Put a message back before what was written since, and in order with others that came back unchanged. */
export function returnText({ text, returned }: WrittenText, message: ReturnedText): WrittenText {
  const before = joinTexts(returned);
  const isUnchanged = before !== '' && text.startsWith(before);
  const since = isUnchanged ? text.slice(before.length).replace(/^\n\n/, '') : text;
  const all = [...(isUnchanged ? returned : []), message].sort((a, b) => a.at - b.at);
  return { text: prependText(since, joinTexts(all)), returned: all };
}

const joinTexts = (returned: readonly ReturnedText[]): string =>
  returned.map(({ text }) => text).join('\n\n');

/** Put returned text before what was written since; nothing of either is lost. */
export function prependText(current: string, returned: string): string {
  if (!current.trim() || current === returned) return returned;
  return `${returned}\n\n${current}`;
}
