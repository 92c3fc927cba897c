/** Deleting with a moment to think again: hidden at once, deleted when the moment is over or the page is left. */
import { SvelteSet } from 'svelte/reactivity';
import { api, need } from '$api/client';
import { toasts } from '$ui/toasts.svelte';
import { words } from './texts';

/** As long as the note with "Undo" can be seen. */
const MOMENT = 10_000;

class Deletions {
  /** What is not to be shown. */
  readonly hidden = new SvelteSet<string>();
  readonly #waiting = new Map<string, ReturnType<typeof setTimeout>>();

  constructor() {
    globalThis.addEventListener?.('pagehide', () => void this.flush());
  }

  /** Hide a conversation and delete it soon, unless the person takes it back. */
  begin(id: string, onundo: () => void = () => undefined): void {
    this.hidden.add(id);
    this.#waiting.set(
      id,
      setTimeout(() => void this.#send(id), MOMENT),
    );
    const act = () => {
      if (this.#undo(id)) onundo();
    };
    toasts.say(words.deleted, { label: words.undo, act });
  }

  /** Delete now what still waits. */
  async flush(): Promise<void> {
    await Promise.all([...this.#waiting.keys()].map((id) => this.#send(id)));
  }

  #undo(id: string): boolean {
    clearTimeout(this.#waiting.get(id));
    this.hidden.delete(id);
    return this.#waiting.delete(id);
  }

  async #send(id: string): Promise<void> {
    clearTimeout(this.#waiting.get(id));
    this.#waiting.delete(id);
    try {
      // `keepalive` lets the request outlive the page.
      await need(
        api.DELETE('/api/conversations/{conversation_id}', {
          params: { path: { conversation_id: id } },
          keepalive: true,
        }),
      );
    } catch (error) {
      if ((error as { status?: number }).status === 404) return;
      this.hidden.delete(id);
      toasts.problem(error);
    }
  }
}

export const deletions = new Deletions();
