/** How far the search index of a project has come: asked gently while something waits. */
import { getIndex, type IndexView } from './requests';

const PAUSE = 1500;
const LONGEST_PAUSE = 10_000;

export class Indexing {
  view = $state.raw<IndexView | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause = PAUSE;
  readonly #projectId: string;

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  get isBusy(): boolean {
    return this.view !== null && this.view.waiting + this.view.chunked > 0;
  }

  /** Ask now, and again while there is something to wait for. */
  async watch(): Promise<void> {
    this.#pause = PAUSE;
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
      this.#pause = moves ? PAUSE : Math.min(LONGEST_PAUSE, this.#pause * 1.5);
    } catch {
      // It is only a note beside the files; the next look may succeed.
      this.#pause = LONGEST_PAUSE;
    }
    if (this.isBusy) this.#timer = setTimeout(() => void this.#look(), this.#pause);
  }
}
