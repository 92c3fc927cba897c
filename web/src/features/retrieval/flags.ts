/** The switches and numbers of retrieval as a form holds them: an empty text leaves one to the server. */
import type { Schemas } from '$api/client';

export type Flags = Schemas['FlagsBody'];
export type RetrievalFlag = keyof Flags;
export type FlagValues = Record<RetrievalFlag, string>;

export const BOOLEAN_FLAGS = [
  'hybrid',
  'dense',
  'rerank',
  'follow_names',
  'multi_query',
  'hyde',
  'chunking',
  'structure',
] as const;
export const NUMBER_FLAGS = [
  'token_budget',
  'summary_frequency',
  'rerank_alpha',
  'rerank_beta',
  'rerank_gamma',
] as const;
const ALL: readonly RetrievalFlag[] = [...BOOLEAN_FLAGS, ...NUMBER_FLAGS];

/** Fill the form with what the workspace decided. */
export const flagValues = ({
  workspace,
  chosen,
}: Pick<Schemas['FlagsView'], 'workspace' | 'chosen'>): FlagValues =>
  Object.fromEntries(
    ALL.map((name) => [name, chosen.includes(name) ? String(workspace[name] ?? '') : '']),
  ) as FlagValues;

/** Fill the form with what a person decided for themselves. */
export const personalValues = ({
  current,
  origins,
}: Pick<Schemas['FlagsView'], 'current' | 'origins'>): FlagValues =>
  Object.fromEntries(
    ALL.map((name) => [name, origins[name] === 'person' ? String(current[name] ?? '') : '']),
  ) as FlagValues;

/** Return what a form changed; null gives a decision back to the server. */
export function changedFlags(before: FlagValues, after: FlagValues): Flags {
  const differ = ALL.filter((name) => String(after[name] ?? '') !== before[name]);
  return Object.fromEntries(differ.map((name) => [name, valueOf(name, String(after[name] ?? ''))]));
}

function valueOf(name: RetrievalFlag, text: string): boolean | number | null {
  if (text === '') return null;
  return (BOOLEAN_FLAGS as readonly RetrievalFlag[]).includes(name) ? text === 'true' : Number(text);
}
