/** Tasks that are listed: fetched page by page, and anew when something changed. */
import type { TaskQuery } from './taskFilter';
import { listTasks, type Task } from './requests';
import { placeAfter } from './taskOrder';

const TASK_PAGE_SIZE = 50;
/** The server gives no more at once. */
const TASK_PAGE_MAX = 200;

export class TaskList {
  items = $state.raw<readonly Task[]>([]);
  /** Whether what was asked for is here; until then the last list is. */
  loaded = $state(false);
  hasMore = $state(false);
  problem = $state('');
  #query: TaskQuery = {};
  #next: string | null = null;
  #running: AbortController | null = null;
  /** Things that are being moved: what is fetched meanwhile may be older. */
  #held = 0;

  load(query: TaskQuery): Promise<void> {
    this.#query = query;
    return this.#fetch(TASK_PAGE_SIZE);
  }

  async reload(): Promise<void> {
    if (this.#held) return;
    await this.#fetch(Math.max(TASK_PAGE_SIZE, this.items.length));
  }

  /** Fetch the next page, unless something is being fetched: that may put others in its place. */
  async loadMore(): Promise<void> {
    if (this.#next === null || this.#isFetching) return;
    await this.#fetch(TASK_PAGE_SIZE, this.items, this.#next);
  }

  /** Show a task as it is now. */
  put(task: Task): void {
    this.items = this.items.map((listed) => (listed.id === task.id ? task : listed));
  }

  /** Show a task right after another, or first. */
  place(task: Task, after: string | null): void {
    this.items = placeAfter(this.items, task, after);
  }

  drop(ids: readonly string[]): void {
    this.items = this.items.filter(({ id }) => !ids.includes(id));
  }

  /** Fetch nothing anew until something is done. */
  async holdWhile<T>(doing: () => Promise<T>): Promise<T> {
    this.#held++;
    this.#running?.abort();
    try {
      return await doing();
    } finally {
      this.#held--;
    }
  }

  stop(): void {
    this.#running?.abort();
  }

  get #isFetching(): boolean {
    return this.#running !== null && !this.#running.signal.aborted;
  }

  /** Fetch so many, and show them after those that are here already. */
  async #fetch(count: number, here: readonly Task[] = [], after = ''): Promise<void> {
    this.#running?.abort();
    const running = (this.#running = new AbortController());
    try {
      const { found, next } = await fetchMany(this.#query, { count, after }, running.signal);
      if (running.signal.aborted) return;
      this.#next = next;
      this.items = [...here, ...found];
      this.hasMore = next !== null;
      this.loaded = true;
      this.problem = '';
    } catch (error) {
      if (!running.signal.aborted) this.problem = (error as Error).message;
    } finally {
      if (this.#running === running) this.#running = null;
    }
  }
}

interface Found {
  readonly found: readonly Task[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
}

async function fetchMany(
  query: TaskQuery,
  { count, after }: { count: number; after: string },
  signal: AbortSignal,
): Promise<Found> {
  const found: Task[] = [];
  let next: string | null = after;
  while (next !== null && found.length < count) {
    const limit = Math.min(TASK_PAGE_MAX, count - found.length);
    const page: Awaited<ReturnType<typeof listTasks>> = await listTasks(
      { ...query, ...(next ? { after: next } : {}), limit },
      signal,
    );
    found.push(...page.tasks);
    next = page.next ?? null;
  }
  return { found, next };
}
