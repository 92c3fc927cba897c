/** A search while one types: each new one ends the one before. */
import { api, need, type Schemas } from '$api/client';
import { bodyOf, NOTHING, type Wanted } from './address';

export type Found = Schemas['SearchView'];

const REST = 200;
const PAGE = 20;
const MOST = 100;

export class Search {
  found = $state.raw<Found | null>(null);
  /** What the hits were found by. */
  asked = $state.raw<Wanted>(NOTHING);
  waiting = $state(false);
  problem = $state('');
  #limit = $state(PAGE);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | null = null;

  get canShowMore(): boolean {
    return this.#limit < MOST && (this.found?.hits.length ?? 0) >= this.#limit;
  }

  /** Search soon, unless something else is wanted before. */
  soon(wanted: Wanted): void {
    this.stop();
    this.#limit = PAGE;
    if (!wanted.q.trim()) this.found = null;
    else {
      this.waiting = true;
      this.#timer = setTimeout(() => void this.#run(wanted), this.found ? REST : 0);
    }
  }

  /** Search for more of the same. */
  more(): void {
    this.#limit = Math.min(MOST, this.#limit * 2);
    void this.#run(this.asked);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.waiting = false;
    this.problem = '';
  }

  async #run(wanted: Wanted): Promise<void> {
    const running = new AbortController();
    this.#running?.abort();
    this.#running = running;
    this.waiting = true;
    try {
      const found = await ask(wanted, this.#limit, running.signal);
      if (running.signal.aborted) return;
      Object.assign(this, { found, asked: wanted, problem: '' });
    } catch (error) {
      if (!running.signal.aborted) this.problem = (error as Error).message;
    }
    if (!running.signal.aborted) this.waiting = false;
  }
}

function ask(wanted: Wanted, limit: number, signal: AbortSignal): Promise<Found> {
  const body = bodyOf(wanted, limit);
  if (!wanted.project) return need(api.POST('/api/search/global', { body, signal }));
  const params = { path: { project_id: wanted.project } };
  return need(api.POST('/api/projects/{project_id}/search', { params, body, signal }));
}
