/** The search in a project's files, while one types. */
import { searchFiles, type FileHit } from './requests';

const FILE_SEARCH_DELAY_MS = 250;

export class FileSearch {
  query = $state('');
  hits = $state.raw<readonly FileHit[]>([]);
  /** The words that the hits were found by. */
  asked = $state('');
  waiting = $state(false);
  problem = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #projectId: string;

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  get isActive(): boolean {
    return this.query.trim() !== '';
  }

  /** Search soon for what is typed now. */
  searchSoon(): void {
    clearTimeout(this.#timer);
    this.waiting = this.isActive;
    if (this.isActive) this.#timer = setTimeout(() => void this.searchNow(), FILE_SEARCH_DELAY_MS);
  }

  async searchNow(): Promise<void> {
    clearTimeout(this.#timer);
    const query = this.query.trim();
    if (!query) return;
    this.waiting = true;
    try {
      const hits = await searchFiles(this.#projectId, query);
      if (query === this.query.trim()) Object.assign(this, { hits, asked: query, problem: '' });
    } catch (error) {
      this.problem = (error as Error).message;
    }
    if (query === this.query.trim()) this.waiting = false;
  }

  clear(): void {
    clearTimeout(this.#timer);
    Object.assign(this, { query: '', asked: '', hits: [], waiting: false, problem: '' });
  }
}
