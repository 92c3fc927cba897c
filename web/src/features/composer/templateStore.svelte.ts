/** The templates of the person who writes, kept by their browser. */
import { storageOwner } from '$features/session/storageOwner';
import { writeStored, readStored } from '$lib/storage';
import { allTemplates, parseTemplates, removeTemplate, addTemplate, type Template } from './templates';

class TemplateStore {
  own = $state.raw<readonly Template[]>([]);
  #owner = '';

  get all(): readonly Template[] {
    return allTemplates(this.own);
  }

  /** Fetch this person's templates. */
  open(): void {
    if (this.#owner === storageOwner()) return;
    this.#owner = storageOwner();
    this.own = parseTemplates(readStored(this.#key));
  }

  /** Keep text under a name, and tell whether there was room. */
  save(name: string, text: string): boolean {
    const own = addTemplate(this.own, name, text);
    if (!writeStored(this.#key, own)) return false;
    this.own = own;
    return true;
  }

  remove(name: string): void {
    this.own = removeTemplate(this.own, name);
    writeStored(this.#key, this.own);
  }

  get #key(): string {
    return `tertulia.${this.#owner}.templates`;
  }
}

export const templateStore = new TemplateStore();
