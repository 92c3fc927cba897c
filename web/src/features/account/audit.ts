/** What was done, told as a sentence about people. */
import type { Schemas } from '$api/client';
import { words } from './texts';

type Entry = Schemas['AuditEntryView'];

/** Names by a person's id; who has left is known by the id alone. */
export type MemberNames = Readonly<Record<string, string>>;

export function actorName(entry: Entry, names: MemberNames): string {
  return entry.actor_id ? (names[entry.actor_id] ?? entry.actor_id) : words.audit.server;
}

/** What the actor did, to whom where it was somebody else. */
export function describeAction(entry: Entry, names: MemberNames): string {
  const known: Readonly<Record<string, string>> = words.audit.deeds;
  const deed = known[entry.action] ?? entry.action.replaceAll('_', ' ');
  const isOther = entry.subject_id.startsWith('usr_') && entry.subject_id !== entry.actor_id;
  const person = isOther && (names[entry.subject_id] ?? entry.subject_id);
  return [deed, person, detailOf(entry.detail)].filter(Boolean).join(' ');
}

function detailOf(detail: Entry['detail']): string {
  const parts = Object.entries(detail).map(([name, value]) => {
    if (Array.isArray(value)) return value.map((item) => String(item).replaceAll('_', ' ')).join(', ');
    if (typeof value === 'boolean') return value ? `with ${name}` : '';
    return String(value);
  });
  const told = parts.filter(Boolean).join(', ');
  return told && `(${told})`;
}
