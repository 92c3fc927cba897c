/** The switches and numbers of retrieval as a form holds them: an empty text leaves one to the server. */
import type { Schemas } from '$api/client';

export type Flags = Schemas['FlagsBody'];
export type Flag = keyof Flags;
export type Form = Record<Flag, string>;

export const SWITCHES = ['hybrid', 'dense', 'rerank', 'chunking', 'structure'] as const;
export const NUMBERS = [
  'token_budget',
  'summary_frequency',
  'rerank_alpha',
  'rerank_beta',
  'rerank_gamma',
] as const;
const ALL: readonly Flag[] = [...SWITCHES, ...NUMBERS];

/** Fill the form with what the workspace decided. */
export const formOf = ({ current, chosen }: Omit<Schemas['FlagsView'], 'server'>): Form =>
  Object.fromEntries(
    ALL.map((name) => [name, chosen.includes(name) ? String(current[name] ?? '') : '']),
  ) as Form;

/** Return what a form changed; null gives a decision back to the server. */
export function changesIn(before: Form, after: Form): Flags {
  const differ = ALL.filter((name) => String(after[name] ?? '') !== before[name]);
  return Object.fromEntries(differ.map((name) => [name, valueOf(name, String(after[name] ?? ''))]));
}

function valueOf(name: Flag, text: string): boolean | number | null {
  if (text === '') return null;
  return (SWITCHES as readonly Flag[]).includes(name) ? text === 'true' : Number(text);
}
