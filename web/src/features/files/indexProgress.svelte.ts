/** How far the search index of a project has come: asked gently while something waits. */
import { getIndex, type IndexView } from './requests';

const INDEX_POLL_MIN_MS = 1500;
const INDEX_POLL_MAX_MS = 10_000;

export class IndexProgress {
  view = $state.raw<IndexView | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause = INDEX_POLL_MIN_MS;
  readonly #projectId: string;

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  get isBusy(): boolean {
    return this.view !== null && this.view.waiting + this.view.chunked > 0;
  }

  /** Ask now, and again while there is something to wait for. */
  async watch(): Promise<void> {
    this.#pause = INDEX_POLL_MIN_MS;
    await this.#look();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const before = this.view;
      this.view = await getIndex(this.#projectId);
      // The less happens, the less often it is looked at.
      const moves = before?.waiting !== this.view.waiting || before.chunked !== this.view.chunked;
      this.#pause = moves ? INDEX_POLL_MIN_MS : Math.min(INDEX_POLL_MAX_MS, this.#pause * 1.5);
    } catch {
      // It is only a note beside the files; the next look may succeed.
      this.#pause = INDEX_POLL_MAX_MS;
    }
    if (this.isBusy) this.#timer = setTimeout(() => void this.#look(), this.#pause);
  }
}
