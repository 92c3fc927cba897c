/** A search while one types: each new one ends the one before. */
import { api, unwrap, type Schemas } from '$api/client';
import { searchRequest, EMPTY_QUERY, type SearchQuery } from './searchQuery';

export type SearchResult = Schemas['SearchView'];

const SEARCH_DELAY_MS = 200;
const SEARCH_PAGE_SIZE = 20;
const SEARCH_HITS_MAX = 100;

export class Search {
  found = $state.raw<SearchResult | null>(null);
  /** What the hits were found by. */
  asked = $state.raw<SearchQuery>(EMPTY_QUERY);
  isSearching = $state(false);
  problem = $state('');
  #limit = $state(SEARCH_PAGE_SIZE);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | null = null;

  get canShowMore(): boolean {
    return this.#limit < SEARCH_HITS_MAX && (this.found?.hits.length ?? 0) >= this.#limit;
  }

  /** Search soon, unless something else is wanted before. */
  searchSoon(wanted: SearchQuery): void {
    this.stop();
    this.#limit = SEARCH_PAGE_SIZE;
    if (!wanted.q.trim()) this.found = null;
    else {
      this.isSearching = true;
      this.#timer = setTimeout(() => void this.#run(wanted), this.found ? SEARCH_DELAY_MS : 0);
    }
  }

  /** Search for more of the same. */
  loadMore(): void {
    this.#limit = Math.min(SEARCH_HITS_MAX, this.#limit * 2);
    void this.#run(this.asked);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.isSearching = false;
    this.problem = '';
  }

  async #run(wanted: SearchQuery): Promise<void> {
    const running = new AbortController();
    this.#running?.abort();
    this.#running = running;
    this.isSearching = true;
    try {
      const found = await ask(wanted, this.#limit, running.signal);
      if (running.signal.aborted) return;
      Object.assign(this, { found, asked: wanted, problem: '' });
    } catch (error) {
      if (!running.signal.aborted) this.problem = (error as Error).message;
    }
    if (!running.signal.aborted) this.isSearching = false;
  }
}

function ask(wanted: SearchQuery, limit: number, signal: AbortSignal): Promise<SearchResult> {
  const body = searchRequest(wanted, limit);
  if (!wanted.project) return unwrap(api.POST('/api/search/global', { body, signal }));
  const params = { path: { project_id: wanted.project } };
  return unwrap(api.POST('/api/projects/{project_id}/search', { params, body, signal }));
}
