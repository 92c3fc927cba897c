/** What sending would take, for exactly what is written now: asked once the hands rest. */
import { api, unwrap, type Schemas } from '$api/client';
import type { LaneEstimate } from './meter';

/** The words themselves are not wanted here. */
export type PreviewRequest = Omit<Schemas['PreviewBody'], 'texts'>;

/** How long the hands rest before the server is asked. */
const ESTIMATE_DELAY_MS = 700;

export class PromptEstimator {
  lanes = $state.raw<readonly LaneEstimate[]>([]);
  /** Why nobody can say, in the server's words. */
  problem = $state('');
  #asked: PreviewRequest | null = null;
  #key = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #controller: AbortController | undefined;

  /** Estimate a question; null for none. The same one twice is asked once. */
  ask(question: PreviewRequest | null): void {
    const key = JSON.stringify(question);
    if (key === this.#key) return;
    this.#key = key;
    this.#asked = question;
    this.#forget();
    this.renew();
  }

  /** Estimate the same question again: what it would be sent with has changed. */
  renew(): void {
    this.stop();
    const question = this.#asked;
    if (question) this.#timer = setTimeout(() => void this.#fetch(question), ESTIMATE_DELAY_MS);
  }

  /** Ask no more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#controller?.abort();
  }

  async #fetch(body: PreviewRequest): Promise<void> {
    const { signal } = (this.#controller = new AbortController());
    try {
      const { lanes } = await unwrap(
        api.POST('/api/context/preview', { body: { ...body, texts: false }, signal }),
      );
      if (signal.aborted) return;
      this.#forget();
      this.lanes = lanes;
    } catch (error) {
      if (signal.aborted) return;
      this.#forget();
      this.problem = (error as Error).message;
    }
  }

  #forget(): void {
    this.lanes = [];
    this.problem = '';
  }
}
