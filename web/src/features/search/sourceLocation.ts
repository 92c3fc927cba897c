/** Where something that was found stands: its address in the app, and its name in words. */
import type { Schemas } from '$api/client';
import { fileHref, memoryHref, roundHref, taskHref } from '$lib/hrefs';
import { formatDate } from '$lib/times';
import { words } from './texts';

export type Passage = Schemas['PassageView'];
export type SearchHit = Schemas['HitView'];

export const passageHref = (passage: Passage): string =>
  passage.kind === 'file'
    ? fileHref(passage.project_id ?? '', passage.source_id, passage.start_line, passage.end_line)
    : roundHref(passage.conversation_id ?? '', passage.round_id ?? '');

/** The way to a passage, from the widest to the narrowest; of one that is hidden only what it is. */
export function passageBreadcrumb(passage: Passage): string[] {
  if (passage.is_hidden) return [passage.kind === 'file' ? words.hiddenFile : words.hiddenTalk];
  return passage.kind === 'file'
    ? fileBreadcrumb(passage)
    : messageBreadcrumb(passage.title, passage.round_number, passage.speaker);
}

export function hitHref({ location, project_id, source_id }: SearchHit): string {
  if ('memory_id' in location) return memoryHref(location.memory_id);
  if ('task_id' in location) return taskHref(location.task_id);
  return 'path' in location
    ? fileHref(project_id ?? '', source_id, location.start_line, location.end_line)
    : roundHref(location.conversation_id, location.round_id);
}

export function hitBreadcrumb({ location }: SearchHit): string[] {
  if ('memory_id' in location) return [words.memory, formatDate(location.said_at)];
  if ('task_id' in location) return [words.task, formatDate(location.said_at)];
  return 'path' in location
    ? fileBreadcrumb(location)
    : [
        ...messageBreadcrumb(location.title, location.round_number, location.speaker),
        formatDate(location.said_at),
      ];
}

type FilePlace = Pick<Passage, 'path' | 'page' | 'heading' | 'start_line' | 'end_line'>;

const fileBreadcrumb = ({ path, page, heading, start_line, end_line }: FilePlace): string[] =>
  [path, page, heading, words.lines(start_line, end_line)].filter(Boolean);

const messageBreadcrumb = (title: string | null, round: number, speaker: string): string[] =>
  [title || words.untitled, words.round(round), speakerOf(speaker)].filter(Boolean);

/** Who said something, as people call them. */
const speakerOf = (speaker: string): string =>
  speaker === 'user'
    ? words.person
    : speaker === 'summary'
      ? words.ofSummary
      : (speaker
          .replace(/^agent:/, '')
          .split('/')
          .at(-1) ?? speaker);

/** The numbers of passages that a text refers to. */
export function citedNumbers(text: string, passages: readonly Passage[]): Set<number> {
  const written = new Set([...text.matchAll(/\[(\d{1,3})\]/g)].map((match) => Number(match[1])));
  return new Set(passages.map(({ number }) => number).filter((number) => written.has(number)));
}
