/** What a person does to keep a long conversation in mind. What is refused is said. */
import { api, unwrap } from '$api/client';
import { toasts } from '$ui/toasts.svelte';
import { words } from './texts';

export class Compression {
  /** What is being done, if anything. */
  running = $state<'summarise' | 'compress' | 'undo' | null>(null);
  readonly #of: { params: { path: { conversation_id: string } } };

  constructor(conversationId: string) {
    this.#of = { params: { path: { conversation_id: conversationId } } };
  }

  summarise(): Promise<void> {
    return this.#do('summarise', async () => {
      await unwrap(api.POST('/api/conversations/{conversation_id}/summary', this.#of));
      toasts.show(words.summarised);
    });
  }

  compress(): Promise<void> {
    return this.#do('compress', async () => {
      const made = await unwrap(api.POST('/api/conversations/{conversation_id}/compression', this.#of));
      const act = () => void this.undo();
      toasts.show(words.compressed(made.watermark), { label: words.undoShort, act });
    });
  }

  undo(): Promise<void> {
    return this.#do('undo', async () => {
      await unwrap(api.DELETE('/api/conversations/{conversation_id}/compression', this.#of));
      toasts.show(words.undone);
    });
  }

  async #do(what: NonNullable<Compression['running']>, act: () => Promise<void>): Promise<void> {
    if (this.running) return;
    this.running = what;
    try {
      await act();
    } catch (error) {
      toasts.showError(error);
    } finally {
      this.running = null;
    }
  }
}
