/** The templates of the person who writes, kept by their browser. */
import { owner } from './owner';
import { keep, read } from '$lib/kept';
import { allTemplates, templatesFrom, withoutTemplate, withTemplate, type Template } from './templates';

class ShelfOfTemplates {
  own = $state.raw<readonly Template[]>([]);
  #owner = '';

  get all(): readonly Template[] {
    return allTemplates(this.own);
  }

  /** Fetch this person's templates. */
  open(): void {
    if (this.#owner === owner()) return;
    this.#owner = owner();
    this.own = templatesFrom(read(this.#key));
  }

  /** Keep text under a name, and tell whether there was room. */
  save(name: string, text: string): boolean {
    const own = withTemplate(this.own, name, text);
    if (!keep(this.#key, own)) return false;
    this.own = own;
    return true;
  }

  remove(name: string): void {
    this.own = withoutTemplate(this.own, name);
    keep(this.#key, this.own);
  }

  get #key(): string {
    return `tertulia.${this.#owner}.templates`;
  }
}

export const shelfOfTemplates = new ShelfOfTemplates();
