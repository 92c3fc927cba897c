/** The table of one place: as it was left there, else as was chosen last, else as project and workspace like. */
import { api, need, type Schemas } from '$api/client';
import { catalogue } from '$features/models/catalogue.svelte';
import { session } from '$features/session/session.svelte';
import { owner } from './owner';
import { forget, keep, keysWith, read } from '$lib/kept';
import { firstGood, firstMet, isTable, tableOf, type Table } from './table';

export type Policy = Schemas['Policy'];

export class Seating {
  seats = $state.raw<Table>([]);
  policy = $state<Policy>('everyone');
  ready = $state(false);
  problem = $state<string | null>(null);
  /** It cannot be found out who was asked here before: whoever it was is asked again. */
  follows = $state(false);
  /** Nobody chose these models: they are the best there are just now. */
  isSuggested = $state(false);
  readonly #conversationId: string | null;
  readonly #projectId: string | null;
  readonly #shelf = `tertulia.${owner()}.`;
  #touched = false;
  #opening: Promise<void> = Promise.resolve();

  constructor(conversationId: string | null, projectId: string | null) {
    this.#conversationId = conversationId;
    this.#projectId = projectId;
  }

  /** Resolves when it is known who sits here, or that nobody can tell. */
  get opened(): Promise<void> {
    return this.#opening;
  }

  /** Find who sits here; a table that was left here is shown at once. */
  open(): Promise<void> {
    return (this.#opening = this.#open());
  }

  async #open(): Promise<void> {
    // Kept by earlier versions, whether somebody had chosen it or not.
    keysWith(`${this.#shelf}last`).forEach(forget);
    const here = this.#conversationId ? this.#kept(`table.${this.#conversationId}`) : null;
    if (here) this.seats = here;
    const policy = read(`${this.#shelf}policy.${this.#conversationId}`);
    if (policy === 'own') this.policy = policy;
    this.problem = null;
    const wasLoaded = catalogue.loaded;
    try {
      await catalogue.load();
    } catch (error) {
      this.problem = (error as Error).message;
    }
    this.follows = !here && this.problem !== null && this.#conversationId !== null;
    const wishes = here || this.follows ? [] : await this.#wishes();
    if (!here && !this.follows && !this.#touched) this.#start(wishes);
    this.ready = true;
    if (wasLoaded && !this.#conversationId) void this.suggestAnew();
  }

  /** Look what is connected by now; a new conversation in which nobody chose begins with the best of it. */
  async suggestAnew(): Promise<void> {
    await catalogue.revalidate();
    if (this.#conversationId || !this.isSuggested) return;
    const wishes = await this.#wishes();
    if (!this.#touched) this.#start(wishes);
  }

  #start(wishes: readonly (Table | null)[]): void {
    const wished = firstMet(wishes, catalogue.models);
    this.isSuggested = wished === null;
    this.seats = wished ?? firstGood(catalogue.models);
  }

  /** Sit differently, here and in what is begun next. */
  change(seats: Table): void {
    this.#touched = true;
    this.seats = seats;
    this.isSuggested = false;
    this.remember(this.#conversationId);
    if (seats.length === 0) return;
    keep(`${this.#shelf}chosen`, seats);
    if (this.#projectId) keep(`${this.#shelf}chosen.${this.#projectId}`, seats);
  }

  setPolicy(policy: Policy): void {
    this.policy = policy;
    keep(`${this.#shelf}policy.${this.#conversationId}`, policy);
  }

  /** Keep the table for a conversation, and for no other: only what a person chose is for those. */
  remember(conversationId: string | null): void {
    if (conversationId && this.seats.length) keep(`${this.#shelf}table.${conversationId}`, this.seats);
  }

  async #wishes(): Promise<(Table | null)[]> {
    const asked = this.#conversationId ? await this.#askedLast(this.#conversationId) : null;
    const ofProject = this.#projectId ? this.#kept(`chosen.${this.#projectId}`) : null;
    const liked = this.#projectId && !ofProject ? await this.#likedByProject(this.#projectId) : null;
    const byAll = tableOf(session.me?.workspace.default_models ?? []);
    return [asked, ofProject, liked, this.#kept('chosen'), byAll];
  }

  /** Who was asked in the round before, perhaps from another device. */
  async #askedLast(id: string): Promise<Table | null> {
    try {
      const params = { path: { conversation_id: id }, query: { limit: 1 } };
      const page = await need(api.GET('/api/conversations/{conversation_id}', { params }));
      const replies = page.rounds.at(-1)?.replies ?? [];
      return replies
        .filter((reply) => reply.kind === 'answer' && reply.attempt === 1)
        .map((reply) => ({ model: reply.model, effort: reply.effort }));
    } catch {
      // Only a wish: without it the next one is taken.
      return null;
    }
  }

  async #likedByProject(id: string): Promise<Table | null> {
    try {
      const params = { path: { project_id: id } };
      const project = await need(api.GET('/api/projects/{project_id}', { params }));
      return tableOf(project.settings.default_models ?? []);
    } catch {
      return null;
    }
  }

  #kept(name: string): Table | null {
    const table = read(this.#shelf + name);
    return isTable(table) && table.length ? table : null;
  }
}
