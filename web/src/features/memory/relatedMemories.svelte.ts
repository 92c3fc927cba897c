/** The memories whose place others took, and those that took it: what they say. */
import { getMemory, type Memory } from './requests';

export class RelatedMemories {
  #known = $state.raw<Readonly<Record<string, Memory>>>({});

  /** Return the memory that another names; undefined where it is gone. */
  find(id: string | null): Memory | undefined {
    return id === null ? undefined : this.#known[id];
  }

  /** Fetch what some memories name: what is history only once. One that cannot be had is left out. */
  async load(memories: readonly Memory[], signal: AbortSignal): Promise<void> {
    const former = namedIds(memories, 'supersedes').filter((id) => !this.#known[id]);
    const missing = [...former, ...namedIds(memories, 'superseded_by')];
    const found = await Promise.all(missing.map((id) => getMemory(id, signal).catch(() => null)));
    const fetched = found.flatMap((memory) => (memory ? [[memory.id, memory]] : []));
    if (signal.aborted || !fetched.length) return;
    this.#known = { ...this.#known, ...(Object.fromEntries(fetched) as Record<string, Memory>) };
  }
}

const namedIds = (memories: readonly Memory[], by: 'supersedes' | 'superseded_by'): string[] =>
  memories.map((memory) => memory[by]).filter((id) => id !== null);
