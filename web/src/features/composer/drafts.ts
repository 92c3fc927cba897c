/** What was written and not yet sent: where it is kept, and how text comes back. */
import { writeStored, readStored } from '$lib/storage';
import { isSeat, type Seat } from './table';

export interface Draft {
  readonly text: string;
  /** The one model this message is for; null when it is for the whole table. */
  readonly to: Seat | null;
  /** The conversation that was made for its files; null where none was. */
  readonly conversationId: string | null;
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
    to: isSeat(draft?.to) ? draft.to : null,
    conversationId: typeof draft?.conversationId === 'string' ? draft.conversationId : null,
  };
}

/** Put a text into a place's draft, before what is there; false where the browser has no room for it. */
export function addToDraft(owner: string, place: string, text: string): boolean {
  const key = draftKey(owner, place);
  const draft = parseDraft(readStored(key));
  return writeStored(key, { ...draft, text: prependText(draft.text, text) });
}

/** Put returned text before what was written since; nothing of either is lost. */
export function prependText(current: string, returned: string): string {
  if (!current.trim() || current === returned) return returned;
  return `${returned}\n\n${current}`;
}
