/** Where something that was found stands: its address in the app, and its name in words. */
import type { Schemas } from '$api/client';
import { words } from './texts';

export type Passage = Schemas['PassageView'];
export type SearchHit = Schemas['HitView'];

/** The address of a file at some of its lines. */
export const fileHref = (projectId: string, fileId: string, from: number, to: number): string =>
  `/projects/${projectId}/files/${fileId}?lines=${from}${to > from ? `-${to}` : ''}`;

/** The address of a conversation at one of its rounds. */
export const roundHref = (conversationId: string, roundId: string): string =>
  `/c/${conversationId}#${roundId}`;

export const passageHref = (one: Passage): string =>
  one.kind === 'file'
    ? fileHref(one.project_id ?? '', one.source_id, one.start_line, one.end_line)
    : roundHref(one.conversation_id ?? '', one.round_id ?? '');

/** The way to a passage, from the widest to the narrowest; of one that is hidden only what it is. */
export function passageBreadcrumb(one: Passage): string[] {
  if (one.is_hidden) return [one.kind === 'file' ? words.hiddenFile : words.hiddenTalk];
  return one.kind === 'file'
    ? fileBreadcrumb(one.path, one.heading, one.start_line, one.end_line)
    : messageBreadcrumb(one.title, one.round_number, one.speaker);
}

export function hitHref({ location, project_id, source_id }: SearchHit): string {
  return 'path' in location
    ? fileHref(project_id ?? '', source_id, location.start_line, location.end_line)
    : roundHref(location.conversation_id, location.round_id);
}

export function hitBreadcrumb({ location }: SearchHit): string[] {
  return 'path' in location
    ? fileBreadcrumb(location.path, location.heading, location.start_line, location.end_line)
    : [
        ...messageBreadcrumb(location.title, location.round_number, location.speaker),
        dayOf(location.said_at),
      ];
}

const fileBreadcrumb = (path: string, heading: string, from: number, to: number): string[] =>
  [path, heading, words.lines(from, to)].filter(Boolean);

const messageBreadcrumb = (title: string | null, round: number, speaker: string): string[] =>
  [title || words.untitled, words.round(round), speakerOf(speaker)].filter(Boolean);

/** Who said something, as people call them. */
const speakerOf = (speaker: string): string =>
  speaker === 'user'
    ? words.person
    : (speaker
        .replace(/^agent:/, '')
        .split('/')
        .at(-1) ?? speaker);

const dayOf = (moment: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(new Date(moment));

/** The numbers of passages that a text refers to. */
export function citedNumbers(text: string, passages: readonly Passage[]): Set<number> {
  const written = new Set([...text.matchAll(/\[(\d{1,3})\]/g)].map((match) => Number(match[1])));
  return new Set(passages.map(({ number }) => number).filter((number) => written.has(number)));
}
