/** How much models are shown: what a conversation says, and what its project does where it says nothing. */
import type { Schemas } from '$api/client';
import { formatTokens } from '$lib/format';
import { words } from './texts';

export type ContextOverrides = Schemas['ContextSettings'];
export type ContextStrategy = Schemas['Strategy'];
export type ContextLevel = Schemas['Level'];
export type ToolOffer = Schemas['ToolOffer'];
type Project = Schemas['ProjectSettingsView'];
interface Option<T extends string> {
  readonly value: T | '';
  readonly label: string;
}

/** What the server takes. */
export const CONTEXT_MIN_TOKENS = 256;
export const CONTEXT_MAX_TOKENS = 10_000_000;
export const STRATEGIES: readonly ContextStrategy[] = ['smart', 'balanced', 'minimal'];
export const LEVELS: readonly ContextLevel[] = ['light', 'standard', 'full'];
export const TOOL_OFFERS: readonly ToolOffer[] = ['suited', 'all'];

/** The strategies to choose from; the first leaves it to the project. */
export function strategyOptions(project: Project | null): Option<ContextStrategy>[] {
  const usual = project ? words.asProject : words.asUsual;
  return [
    { value: '', label: usual(words.strategies[project?.context_strategy ?? 'smart']) },
    ...STRATEGIES.map((value) => ({ value, label: words.strategies[value] })),
  ];
}

/** The levels to choose from; the first leaves it to the project, or to each model. */
export function levelOptions(project: Project | null): Option<ContextLevel>[] {
  const usual = project?.context_level;
  return [
    { value: '', label: usual ? words.asProject(words.levels[usual]) : words.levelByTier },
    ...LEVELS.map((value) => ({ value, label: words.levels[value] })),
  ];
}

/** Who may be offered tools; the first leaves it to the project. */
export function toolOptions(project: Project | null): Option<ToolOffer>[] {
  const usual = project ? words.asProject : words.asUsual;
  return [
    { value: '', label: usual(words.toolOffers[project?.context_tools ?? 'suited']) },
    ...TOOL_OFFERS.map((value) => ({ value, label: words.toolOffers[value] })),
  ];
}

/** What stands in the field for the most tokens while it is empty. */
export const tokensPlaceholder = (project: Project | null): string =>
  project?.max_context_tokens ? words.asProject(formatTokens(project.max_context_tokens)) : words.byModel;

/** One sentence on what a level does, the project's where the conversation has none. */
export function levelHint(own: ContextLevel | '', project: Project | null): string {
  const level = own || project?.context_level;
  return level ? words.levelHints[level] : words.levelByTierHint;
}

/** Read a number of tokens that somebody typed: null for none, undefined for what cannot be. */
export function parseTokenLimit(typed: string | number | null | undefined): number | null | undefined {
  if (typed === '' || typed === null || typed === undefined) return null;
  const count = Number(typed);
  return Number.isInteger(count) && count >= CONTEXT_MIN_TOKENS && count <= CONTEXT_MAX_TOKENS
    ? count
    : undefined;
}

export const hasSameOverrides = (a: ContextOverrides, b: ContextOverrides): boolean =>
  (a.strategy ?? null) === (b.strategy ?? null) &&
  (a.level ?? null) === (b.level ?? null) &&
  (a.max_tokens ?? null) === (b.max_tokens ?? null) &&
  (a.tools ?? null) === (b.tools ?? null);
