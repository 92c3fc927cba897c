/** Memories that are listed: fetched page by page, and anew when something changed. */
import { ApiError } from '$api/client';
import type { MemoryQuery } from './memoryFilter';
import { getMemory, listMemories, type Memory } from './requests';
import { words } from './texts';

const MEMORY_PAGE_SIZE = 30;
/** The server gives no more at once. */
const MEMORY_PAGE_MAX = 200;

/** Fetches what is drawn with memories, so that nothing moves when it comes. */
type Prepare = (found: readonly Memory[], signal: AbortSignal) => Promise<unknown>;

export class MemoryList {
  items = $state.raw<readonly Memory[]>([]);
  /** Whether what was asked for is here; until then the last list is. */
  loaded = $state(false);
  hasMore = $state(false);
  problem = $state('');
  #query: MemoryQuery = {};
  /** Where the next page begins; null at the end. */
  #next: string | null = null;
  #running: AbortController | null = null;
  readonly #prepare: Prepare;

  constructor(prepare: Prepare = () => Promise.resolve()) {
    this.#prepare = prepare;
  }

  load(query: MemoryQuery): Promise<void> {
    this.#query = query;
    return this.#fetch(MEMORY_PAGE_SIZE);
  }

  reload(): Promise<void> {
    return this.#fetch(Math.max(MEMORY_PAGE_SIZE, this.items.length));
  }

  /**
   * Fetch the next page, unless something is being fetched: that may put others in its place. Pages grow with
   * the list: whoever looks through thousands does not wait for each thirty.
   */
  async loadMore(): Promise<void> {
    if (this.#next === null || this.#isFetching) return;
    const count = Math.min(Math.max(MEMORY_PAGE_SIZE, this.items.length), MEMORY_PAGE_MAX);
    await this.#fetch(count, this.items, this.#next);
  }

  /** Show a memory as it is now. */
  put(memory: Memory): void {
    this.items = this.items.map((listed) => (listed.id === memory.id ? memory : listed));
  }

  drop(ids: readonly string[]): void {
    this.items = this.items.filter(({ id }) => !ids.includes(id));
  }

  stop(): void {
    this.#running?.abort();
  }

  get #isFetching(): boolean {
    return this.#running !== null && !this.#running.signal.aborted;
  }

  /** Fetch so many, and show them after those that are here already. */
  async #fetch(count: number, here: readonly Memory[] = [], after = ''): Promise<void> {
    this.#running?.abort();
    const running = (this.#running = new AbortController());
    try {
      const { found, next } = await fetchMany(this.#query, { count, after }, running.signal);
      const items = [...here, ...found];
      await this.#prepare(items, running.signal);
      if (running.signal.aborted) return;
      this.#next = next;
      Object.assign(this, { items, hasMore: next !== null, loaded: true, problem: '' });
    } catch (error) {
      if (running.signal.aborted) return;
      const isGone = error instanceof ApiError && error.status === 404;
      if (isGone) this.items = [];
      this.problem = isGone ? words.gone : (error as Error).message;
    } finally {
      if (this.#running === running) this.#running = null;
    }
  }
}

interface Found {
  readonly found: readonly Memory[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
}

async function fetchMany(
  { id, ...query }: MemoryQuery,
  { count, after }: { count: number; after: string },
  signal: AbortSignal,
): Promise<Found> {
  if (id) return { found: [await getMemory(id, signal)], next: null };
  const found: Memory[] = [];
  let next: string | null = after;
  while (next !== null && found.length < count) {
    const limit = Math.min(MEMORY_PAGE_MAX, count - found.length);
    const page: Awaited<ReturnType<typeof listMemories>> = await listMemories(
      { ...query, after: next, limit },
      signal,
    );
    found.push(...page.memories);
    next = page.next ?? null;
  }
  return { found, next };
}
