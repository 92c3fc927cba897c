/** What is offered while one writes `@`, `#` or `/`. */
import { fileNames } from '$features/files/fileNames.svelte';
import { catalogue } from '$features/models/catalogue.svelte';
import { modelSummary } from '$features/models/modelSummary';
import type { ComposerState } from './composerState.svelte';
import { templateStore } from './templateStore.svelte';
import { filterByName, fileMention, replaceTrigger, triggerAt, type Trigger } from './trigger';

export interface Suggestion {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  /** What it does to the message, and the text that takes the place of the trigger. */
  readonly pick: () => string;
}

const SUGGESTIONS_MAX = 8;

export class SuggestionState {
  caret = $state(0);
  active = $state(0);
  /** Where a trigger was waved away; it stays away until another one begins. */
  #dismissedAt = $state(-1);
  readonly #composing: ComposerState;
  readonly trigger: Trigger | null = $derived.by(() => this.#find());
  readonly items: readonly Suggestion[] = $derived.by(() => this.#offer());

  constructor(composing: ComposerState) {
    this.#composing = composing;
  }

  /** Follow the caret; the first suggestion is the one that Enter takes. */
  follow(caret: number): void {
    const before = this.trigger?.query;
    this.caret = caret;
    if (this.trigger?.query !== before) this.active = 0;
    if (this.trigger?.mark === '#' && this.#composing.project)
      void fileNames.ensureLoaded(this.#composing.project);
    if (triggerAt(this.#composing.text, caret)?.start !== this.#dismissedAt) this.#dismissedAt = -1;
  }

  step(by: number): void {
    this.active = (this.active + by + this.items.length) % this.items.length;
  }

  dismiss(): void {
    this.#dismissedAt = this.trigger?.start ?? -1;
  }

  /** Take a suggestion and return where the caret goes. */
  accept(item: Suggestion): number | null {
    if (!this.trigger) return null;
    const { text, caret } = replaceTrigger(this.#composing.text, this.trigger, item.pick());
    this.#composing.text = text;
    this.#composing.saveSoon();
    this.follow(caret);
    return caret;
  }

  #find(): Trigger | null {
    const found = triggerAt(this.#composing.text, this.caret);
    return found?.start === this.#dismissedAt ? null : found;
  }

  #offer(): readonly Suggestion[] {
    if (!this.trigger) return [];
    const { mark, query } = this.trigger;
    const offers = {
      '@': () => this.#models(query),
      '#': () => this.#files(query),
      '/': () => this.#templates(query),
    };
    return offers[mark]().slice(0, SUGGESTIONS_MAX);
  }

  #models(query: string): Suggestion[] {
    const seats = this.#composing.table.seats;
    const seatOf = (id: string) => seats.find((seat) => seat.model === id) ?? { model: id, effort: null };
    const seated = (id: string) => (seats.some((seat) => seat.model === id) ? 0 : 1);
    const models = catalogue.models.toSorted((a, b) => seated(a.id) - seated(b.id));
    return filterByName(models, query, (model) => [model.title, model.id]).map((model) => ({
      id: model.id,
      title: model.title,
      hint: modelSummary(model),
      pick: () => {
        this.#composing.recipient = seatOf(model.id);
        return '';
      },
    }));
  }

  #files(query: string): Suggestion[] {
    const attached = this.#composing.attachments.files.map(({ path }) => path);
    const others = fileNames.of(this.#composing.project).filter((path) => !attached.includes(path));
    const paths = [...attached, ...others];
    return filterByName(paths, query, (path) => [path.slice(path.lastIndexOf('/') + 1), path]).map(
      (path) => ({
        id: path,
        title: path.slice(path.lastIndexOf('/') + 1),
        hint: path,
        pick: () => `${fileMention(path)} `,
      }),
    );
  }

  #templates(query: string): Suggestion[] {
    return filterByName(templateStore.all, query, (template) => [template.name]).map((template) => ({
      id: template.name,
      title: `/${template.name}`,
      hint: template.text.trim(),
      pick: () => template.text,
    }));
  }
}
