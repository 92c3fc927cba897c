/** What a model would be told of the person now, before it is known what they ask. */
import type { PreviewPlan } from './requests';

/** How the ids of items begin that are memories. */
const MEMORY_ITEM_PREFIX = 'memory:';

export interface PromptNote {
  /** The id of a memory; empty for the profile. */
  readonly memoryId: string;
  /** Exactly as the model reads it. */
  readonly text: string;
}

export interface PromptNotes {
  readonly told: readonly PromptNote[];
  /** How many are for local models alone, and this one is not. */
  readonly localCount: number;
  /** How many there is no room for. */
  readonly crowdedOutCount: number;
}

/** Return what a prompt says of the person, in its order, and how much it leaves out. */
export function promptNotes({ sections, left_out }: PreviewPlan): PromptNotes {
  const told = sections.filter(({ kind }) => kind === 'memory').flatMap(({ items }) => items);
  const left = left_out.filter(({ section }) => section === 'memory');
  const localCount = left.filter(({ reason }) => reason === 'local_only').length;
  return {
    told: told.map(({ id, text }) => ({ memoryId: memoryIdOf(id), text })),
    localCount,
    crowdedOutCount: left.length - localCount,
  };
}

const memoryIdOf = (item: string): string =>
  item.startsWith(MEMORY_ITEM_PREFIX) ? item.slice(MEMORY_ITEM_PREFIX.length) : '';
