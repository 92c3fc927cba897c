/** One line of words as a task: `!high`, `#tag`, `@assignee` and `for 30 minutes` are taken out, days are not. */
import type { Member, TaskPriority } from './requests';

export interface QuickAddParts {
  /** What is left: the title, and perhaps a day in words. */
  readonly rest: string;
  readonly priority: TaskPriority | null;
  readonly tags: readonly string[];
  readonly assignee: Member | null;
  /** Who was named without being a member. */
  readonly unknown: string;
  readonly minutes: number | null;
}

const PRIORITY_WORDS: Record<string, TaskPriority> = {
  '!low': 'low',
  '!medium': 'medium',
  '!med': 'medium',
  '!high': 'high',
  '!!': 'high',
};
const TAG_MAX_CHARS = 50;
const NUMBER = String.raw`\d+(?:[.,]\d+)?`;
const HOURS = String.raw`(?:h|hrs?|hours?)`;
const MINUTES = String.raw`(?:m|mins?|minutes?)`;
const DURATION = new RegExp(
  String.raw`(?<=^|\s)for\s+(?:(?<half>half\s+an\s+hour)|(?<one>an?\s+hour)(?<andHalf>\s+and\s+a\s+half)?|` +
    String.raw`(?<hours>${NUMBER})\s*${HOURS}(?:\s*(?:and\s+)?(?<more>\d+)\s*${MINUTES}?)?|` +
    String.raw`(?<minutes>\d+)\s*${MINUTES})(?=$|[\s,.;!?])`,
  'i',
);

/** Take a line apart. */
export function parseQuickAdd(text: string, members: readonly Member[] = []): QuickAddParts {
  const duration = DURATION.exec(text);
  const words = (duration ? text.replace(duration[0], ' ') : text).split(/\s+/).filter(Boolean);
  const kept: string[] = [];
  const tags = new Set<string>();
  let priority: TaskPriority | null = null;
  let assignee: Member | null = null;
  let unknown = '';
  for (const word of words) {
    const named = word.length > 1 && word.startsWith('@') ? word.slice(1) : '';
    const found: Member | null = named ? findMember(named, members) : null;
    if (PRIORITY_WORDS[word.toLowerCase()]) priority = PRIORITY_WORDS[word.toLowerCase()] ?? null;
    else if (isTag(word)) tags.add(word.slice(1, TAG_MAX_CHARS + 1));
    else if (found) assignee = found;
    else {
      if (named) unknown = named;
      kept.push(word);
    }
  }
  const minutes = duration ? durationMinutes(duration.groups ?? {}) : null;
  return { rest: kept.join(' '), priority, tags: [...tags], assignee, unknown, minutes };
}

/** `#42` names something elsewhere; a tag has a letter. */
const isTag = (word: string): boolean => /^#[\p{L}\p{N}_/-]*\p{L}[\p{L}\p{N}_/-]*$/u.test(word);

/** Find who is meant by the beginning of a name or an address; null where that is nobody, or several. */
export function findMember(named: string, members: readonly Member[]): Member | null {
  const wanted = fold(named);
  const exact = members.filter((member) => memberNames(member).includes(wanted));
  const begun = members.filter((member) => memberNames(member).some((name) => name.startsWith(wanted)));
  if (exact.length === 1) return exact[0] ?? null;
  return exact.length === 0 && begun.length === 1 ? (begun[0] ?? null) : null;
}

const memberNames = ({ name, email }: Member): string[] => {
  const words = name.split(/\s+/).filter(Boolean).map(fold);
  return [...words, words.join(''), words.join('.'), fold(email), fold(email.split('@')[0] ?? '')];
};

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

function durationMinutes(groups: Record<string, string | undefined>): number | null {
  const { half, one, andHalf, hours, more, minutes } = groups;
  if (half) return 30;
  if (one) return andHalf ? 90 : 60;
  const counted = hours ? Number(hours.replace(',', '.')) * 60 + Number(more ?? 0) : Number(minutes);
  return Math.round(counted) || null;
}
