/** The table of one place: as it was left there, else as was chosen last, else as project and workspace like. */
import { api, unwrap, type Schemas } from '$api/client';
import { catalogue } from '$features/models/catalogue.svelte';
import { session } from '$features/session/session.svelte';
import { storageOwner } from '$features/session/storageOwner';
import { removeStored, writeStored, storedKeys, readStored } from '$lib/storage';
import { suggestTable, firstAvailableTable, isTable, tableOf, unlistedModels, type Table } from './table';

export type Policy = Schemas['Policy'];

export class TableState {
  seats = $state.raw<Table>([]);
  policy = $state<Policy>('everyone');
  ready = $state(false);
  problem = $state<string | null>(null);
  /** It cannot be found out who was asked here before: whoever it was is asked again. */
  repeatsLastTable = $state(false);
  /** Nobody chose these models: they are the best there are just now. */
  isSuggested = $state(false);
  /** Models that would sit here if they could be asked. */
  unavailable = $state.raw<readonly string[]>([]);
  readonly #conversationId: string | null;
  readonly #projectId: string | null;
  readonly #askedLast: () => Table | null;
  readonly #storagePrefix = `tertulia.${storageOwner()}.`;
  /** Who the project likes to ask; undefined until that was fetched. */
  #projectDefault: Table | null | undefined;
  #touched = false;
  #opening: Promise<void> = Promise.resolve();

  /** `askedLast` tells who was asked in the conversation before, perhaps from another device; null while unknown. */
  constructor(
    conversationId: string | null,
    projectId: string | null,
    askedLast: () => Table | null = () => null,
  ) {
    this.#conversationId = conversationId;
    this.#projectId = projectId;
    this.#askedLast = askedLast;
  }

  /** Resolves when it is known who sits here, or that nobody can tell. */
  get opened(): Promise<void> {
    return this.#opening;
  }

  /** Find who sits here; as far as that is known without the server, it is shown at once. */
  open(): Promise<void> {
    return (this.#opening = this.#open());
  }

  async #open(): Promise<void> {
    // Kept by earlier versions, whether somebody had chosen it or not.
    storedKeys(`${this.#storagePrefix}last`).forEach(removeStored);
    const here = this.#ofConversation;
    if (here) this.seats = here;
    const policy = readStored(`${this.#storagePrefix}policy.${this.#conversationId}`);
    if (policy === 'own') this.policy = policy;
    this.problem = null;
    const isOpen = !here && (this.#conversationId === null || this.#askedLast() !== null);
    const wasLoaded = catalogue.loaded;
    const loading = catalogue.load();
    this.repeatsLastTable = this.#isLastTableUnknown(false);
    if (isOpen && this.#areCandidatesKnown && catalogue.isKnown && !this.#unlisted.length) this.#start();
    await this.#noteProblem(loading);
    if (isOpen) await this.#fetchProjectDefault();
    // Whoever is not listed may have been connected since the list was fetched.
    const isOutdated = wasLoaded && this.#unlisted.length > 0;
    if (isOutdated) await this.#noteProblem(catalogue.reload());
    this.repeatsLastTable = this.#isLastTableUnknown(this.problem === null);
    if (isOpen && !this.repeatsLastTable) this.#start();
    this.ready = true;
    if (wasLoaded && !isOutdated && !this.#conversationId) void this.refreshSuggestion();
  }

  async #noteProblem(request: Promise<void>): Promise<void> {
    try {
      await request;
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  /** Look what is connected by now; a new conversation in which nobody chose begins with the best of it. */
  async refreshSuggestion(): Promise<void> {
    await catalogue.revalidate();
    if (this.#conversationId || !this.isSuggested) return;
    this.#projectDefault = undefined;
    await this.#fetchProjectDefault();
    this.#start();
  }

  async #fetchProjectDefault(): Promise<void> {
    if (!this.#areCandidatesKnown && this.#projectId)
      this.#projectDefault = await this.#likedByProject(this.#projectId);
  }

  /** Seat whoever is wished for and can be asked, unless somebody has chosen meanwhile. */
  #start(): void {
    if (this.#touched) return;
    const available = firstAvailableTable(this.#candidates, catalogue.models);
    this.isSuggested = available === null;
    this.seats = available ?? suggestTable(catalogue.models);
    this.unavailable = this.problem === null ? this.#unlisted : [];
  }

  /** Sit differently, here and in what is begun next. */
  change(seats: Table): void {
    this.#touched = true;
    this.seats = seats;
    this.isSuggested = false;
    this.unavailable = [];
    this.storeFor(this.#conversationId);
    if (seats.length === 0) return;
    writeStored(`${this.#storagePrefix}chosen`, seats);
    if (this.#projectId) writeStored(`${this.#storagePrefix}chosen.${this.#projectId}`, seats);
  }

  setPolicy(policy: Policy): void {
    this.policy = policy;
    writeStored(`${this.#storagePrefix}policy.${this.#conversationId}`, policy);
  }

  /** Keep the table for a conversation, and for no other: only what a person chose is for those. */
  storeFor(conversationId: string | null): void {
    if (conversationId && this.seats.length)
      writeStored(`${this.#storagePrefix}table.${conversationId}`, this.seats);
  }

  /** Whether nothing that could be wished for here has to be fetched. */
  get #areCandidatesKnown(): boolean {
    return (
      !this.#projectId ||
      this.#projectDefault !== undefined ||
      !!this.#askedLast()?.length ||
      !!this.#ofProject
    );
  }

  /** Whether nobody can tell who was asked here before, or whether they all can be asked again. */
  #isLastTableUnknown(isCatalogueCurrent: boolean): boolean {
    if (!this.#conversationId || this.#ofConversation) return false;
    const asked = this.#askedLast();
    return asked === null || (asked.length > 0 && !isCatalogueCurrent && this.#unlisted.length > 0);
  }

  /** The models of the table that is wished for here which are not in the catalogue. */
  get #unlisted(): readonly string[] {
    const wished = this.#ofConversation ?? this.#candidates.find((table) => table?.length);
    return unlistedModels(wished ?? [], catalogue.models);
  }

  get #candidates(): (Table | null)[] {
    const byAll = tableOf(session.me?.workspace.default_models ?? []);
    return [this.#askedLast(), this.#ofProject, this.#projectDefault ?? null, this.#kept('chosen'), byAll];
  }

  get #ofConversation(): Table | null {
    return this.#conversationId ? this.#kept(`table.${this.#conversationId}`) : null;
  }

  get #ofProject(): Table | null {
    return this.#projectId ? this.#kept(`chosen.${this.#projectId}`) : null;
  }

  async #likedByProject(id: string): Promise<Table | null> {
    try {
      const params = { path: { project_id: id } };
      const project = await unwrap(api.GET('/api/projects/{project_id}', { params }));
      return tableOf(project.settings.default_models ?? []);
    } catch {
      return null;
    }
  }

  #kept(name: string): Table | null {
    const table = readStored(this.#storagePrefix + name);
    return isTable(table) && table.length ? table : null;
  }
}
