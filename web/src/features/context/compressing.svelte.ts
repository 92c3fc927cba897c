/** What a person does to keep a long conversation in mind. What is refused is said. */
import { api, need } from '$api/client';
import { toasts } from '$ui/toasts.svelte';
import { words } from './texts';

export class Compressing {
  /** What is being done, if anything. */
  doing = $state<'summarise' | 'compress' | 'undo' | null>(null);
  readonly #of: { params: { path: { conversation_id: string } } };

  constructor(conversationId: string) {
    this.#of = { params: { path: { conversation_id: conversationId } } };
  }

  summarise(): Promise<void> {
    return this.#do('summarise', async () => {
      await need(api.POST('/api/conversations/{conversation_id}/summary', this.#of));
      toasts.say(words.summarised);
    });
  }

  compress(): Promise<void> {
    return this.#do('compress', async () => {
      const made = await need(api.POST('/api/conversations/{conversation_id}/compression', this.#of));
      const act = () => void this.undo();
      toasts.say(words.compressed(made.watermark), { label: words.undoShort, act });
    });
  }

  undo(): Promise<void> {
    return this.#do('undo', async () => {
      await need(api.DELETE('/api/conversations/{conversation_id}/compression', this.#of));
      toasts.say(words.undone);
    });
  }

  async #do(what: NonNullable<Compressing['doing']>, act: () => Promise<void>): Promise<void> {
    if (this.doing) return;
    this.doing = what;
    try {
      await act();
    } catch (error) {
      toasts.problem(error);
    } finally {
      this.doing = null;
    }
  }
}
