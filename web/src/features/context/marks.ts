/** What a person says of a message: show it to models always, never, or only to local ones. */
import type { Schemas } from '$api/client';

export type Mark = Schemas['Mark'];

/** In the order in which they are shown. */
export const MARKS: readonly Mark[] = ['pinned', 'excluded', 'local_only'];

/** The marks of a message in a steady order; ones that are not known here are passed over. */
export const knownMarks = (marks: readonly string[] | undefined): Mark[] =>
  MARKS.filter((mark) => marks?.includes(mark));

/** What to ask of the server so that a mark is the other way round. */
export const toggleMark = (
  marks: readonly string[] | undefined,
  mark: Mark,
): Partial<Record<Mark, boolean>> => ({
  [mark]: !marks?.includes(mark),
});
