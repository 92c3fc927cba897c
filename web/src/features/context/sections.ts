/** The sections of a prompt as they are drawn: one bar, a piece for each. */
import type { Schemas } from '$api/client';

export type SectionKind = Schemas['SectionKind'];
type Section = Pick<Schemas['SectionView'], 'kind' | 'tokens'>;

export interface BarSegment {
  readonly kind: SectionKind;
  readonly tokens: number;
  /** The part of the whole bar, between 0 and 1. */
  readonly share: number;
  readonly colour: string;
}

/** What stays the same is quiet, what was said has the accent, what is at hand is green. */
const SECTION_COLOURS: Record<SectionKind, string> = {
  system: 'var(--color-soft)',
  files: 'var(--color-good)',
  memory: mixed('good', 65),
  entities: mixed('good', 40),
  pinned: mixed('accent', 80),
  summary: mixed('accent', 50),
  rounds: 'var(--color-accent)',
  passages: mixed('good', 80),
  tools: mixed('soft', 60),
  conversation: mixed('ink', 40),
  question: 'var(--color-ink)',
  steps: mixed('ink', 60),
};

/** Return the pieces of a bar that stands for `whole` tokens; sections that have none are left out. */
export function barSegments(sections: readonly Section[], whole = 0): BarSegment[] {
  const shown = sections.filter((section) => section.tokens > 0);
  const all = Math.max(
    whole,
    shown.reduce((sum, section) => sum + section.tokens, 0),
  );
  return shown.map(({ kind, tokens }) => ({
    kind,
    tokens,
    share: tokens / all,
    colour: SECTION_COLOURS[kind],
  }));
}

function mixed(colour: string, percent: number): string {
  return `color-mix(in oklab, var(--color-${colour}) ${percent}%, var(--color-card))`;
}
