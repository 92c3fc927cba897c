/** What is offered while one writes `@`, `#` or `/`. */
import { fileNames } from '$features/files/fileNames.svelte';
import { catalogue } from '$features/models/catalogue.svelte';
import { line } from '$features/models/model-line';
import type { Composing } from './composing.svelte';
import { shelfOfTemplates } from './templates.svelte';
import { matching, naming, replaced, triggerAt, type Trigger } from './trigger';

export interface Suggestion {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  /** What it does to the message, and the text that takes the place of the trigger. */
  readonly pick: () => string;
}

const MOST_SHOWN = 8;

export class Suggesting {
  caret = $state(0);
  active = $state(0);
  /** Where a trigger was waved away; it stays away until another one begins. */
  #waved = $state(-1);
  readonly #composing: Composing;
  readonly trigger: Trigger | null = $derived.by(() => this.#find());
  readonly items: readonly Suggestion[] = $derived.by(() => this.#offer());

  constructor(composing: Composing) {
    this.#composing = composing;
  }

  /** Follow the caret; the first suggestion is the one that Enter takes. */
  follow(caret: number): void {
    const before = this.trigger?.query;
    this.caret = caret;
    if (this.trigger?.query !== before) this.active = 0;
    if (this.trigger?.mark === '#' && this.#composing.project) void fileNames.want(this.#composing.project);
    if (triggerAt(this.#composing.text, caret)?.start !== this.#waved) this.#waved = -1;
  }

  step(by: number): void {
    this.active = (this.active + by + this.items.length) % this.items.length;
  }

  wave(): void {
    this.#waved = this.trigger?.start ?? -1;
  }

  /** Take a suggestion and return where the caret goes. */
  take(item: Suggestion): number | null {
    if (!this.trigger) return null;
    const { text, caret } = replaced(this.#composing.text, this.trigger, item.pick());
    this.#composing.text = text;
    this.#composing.saveSoon();
    this.follow(caret);
    return caret;
  }

  #find(): Trigger | null {
    const found = triggerAt(this.#composing.text, this.caret);
    return found?.start === this.#waved ? null : found;
  }

  #offer(): readonly Suggestion[] {
    if (!this.trigger) return [];
    const { mark, query } = this.trigger;
    const offers = {
      '@': () => this.#models(query),
      '#': () => this.#files(query),
      '/': () => this.#templates(query),
    };
    return offers[mark]().slice(0, MOST_SHOWN);
  }

  #models(query: string): Suggestion[] {
    const seats = this.#composing.seating.seats;
    const seatOf = (id: string) => seats.find((seat) => seat.model === id) ?? { model: id, effort: null };
    const seated = (id: string) => (seats.some((seat) => seat.model === id) ? 0 : 1);
    const models = catalogue.models.toSorted((one, other) => seated(one.id) - seated(other.id));
    return matching(models, query, (model) => [model.title, model.id]).map((model) => ({
      id: model.id,
      title: model.title,
      hint: line(model),
      pick: () => {
        this.#composing.to = seatOf(model.id);
        return '';
      },
    }));
  }

  #files(query: string): Suggestion[] {
    const attached = this.#composing.attachments.files.map(({ path }) => path);
    const others = fileNames.of(this.#composing.project).filter((path) => !attached.includes(path));
    const paths = [...attached, ...others];
    return matching(paths, query, (path) => [path.slice(path.lastIndexOf('/') + 1), path]).map((path) => ({
      id: path,
      title: path.slice(path.lastIndexOf('/') + 1),
      hint: path,
      pick: () => `${naming(path)} `,
    }));
  }

  #templates(query: string): Suggestion[] {
    return matching(shelfOfTemplates.all, query, (template) => [template.name]).map((template) => ({
      id: template.name,
      title: `/${template.name}`,
      hint: template.text.trim(),
      pick: () => template.text,
    }));
  }
}
