/** One's own marks on the sources of a reply: fetched with the first look at them. */
import { SvelteMap } from 'svelte/reactivity';
import { api, unwrap } from '$api/client';
import { toasts } from '$ui/toasts.svelte';

export class SourceRatings {
  readonly #good = new SvelteMap<number, boolean>();
  readonly #replyId: string;
  #loading: Promise<void> | null = null;

  constructor(replyId: string) {
    this.#replyId = replyId;
  }

  /** Whether a source was marked as good or bad; undefined when it was not. */
  of(number: number): boolean | undefined {
    return this.#good.get(number);
  }

  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Mark a source, or take the same mark back. */
  async toggle(number: number, good: boolean): Promise<void> {
    const before = this.#good.get(number);
    const params = { path: { reply_id: this.#replyId, number } };
    const address = '/api/replies/{reply_id}/citations/{number}';
    this.#set(number, before === good ? undefined : good);
    try {
      if (before === good) await unwrap(api.DELETE(address, { params }));
      else await unwrap(api.PUT(address, { params, body: { good } }));
    } catch (error) {
      this.#set(number, before);
      toasts.showError(error);
    }
  }

  async #load(): Promise<void> {
    try {
      const params = { path: { reply_id: this.#replyId } };
      for (const { number, good } of await unwrap(api.GET('/api/replies/{reply_id}/citations', { params })))
        this.#set(number, good);
    } catch (error) {
      this.#loading = null;
      toasts.showError(error);
    }
  }

  #set(number: number, good: boolean | undefined): void {
    if (good === undefined) this.#good.delete(number);
    else this.#good.set(number, good);
  }
}
