/** `@`, `#` and `/` while writing: where a suggestion begins, and what becomes of the text. */
export interface Trigger {
  readonly mark: '@' | '#' | '/';
  readonly query: string;
  readonly start: number;
  readonly end: number;
}

const MENTION = /(?:^|\s)@([^\s@]{0,60})$/;
// A path with blanks stands in quotes: `#"a plan.md"`.
const FILE = /(?:^|\s)#(?:"([^"\n]{0,200})|([^\s#"]{0,200}))$/;
// A slash means a template only where a line begins, so that paths and dates stay text.
const COMMAND = /(?:^|\n)\/([^\s/]{0,60})$/;

const MARKS = [
  ['@', MENTION],
  ['#', FILE],
  ['/', COMMAND],
] as const;

/** Return what is being asked for just before the caret, if anything. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  for (const [mark, pattern] of MARKS) {
    const found = pattern.exec(before);
    if (!found) continue;
    const start = caret - found[0].trimStart().length;
    return { mark, query: found[1] ?? found[2] ?? '', start, end: caret };
  }
  return null;
}

/** Return how a message names a file. */
export const fileMention = (path: string): string => (/[\s#]|^"/.test(path) ? `#"${path}"` : `#${path}`);

/** Put other text in a trigger's place; the caret goes to its end. */
export function replaceTrigger(text: string, trigger: Trigger, by: string): { text: string; caret: number } {
  const before = text.slice(0, trigger.start);
  const after = text.slice(trigger.end);
  const gap = by === '' && (before === '' || /\s$/.test(before)) ? after.replace(/^ /, '') : after;
  return { text: before + by + gap, caret: before.length + by.length };
}

/** The things whose names hold the query: those that begin with it first, else in their own order. */
export function filterByName<T>(things: readonly T[], query: string, names: (thing: T) => string[]): T[] {
  const wanted = query.toLowerCase();
  const rank = (thing: T): number => {
    const found = names(thing).map((name) => name.toLowerCase());
    if (found.some((name) => name.startsWith(wanted))) return 0;
    return found.some((name) => name.includes(wanted)) ? 1 : 2;
  };
  return things
    .map((thing) => ({ thing, rank: rank(thing) }))
    .filter((match) => match.rank < 2)
    .sort((a, b) => a.rank - b.rank)
    .map((match) => match.thing);
}
