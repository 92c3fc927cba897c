/** The palette: what is typed, what that finds here and on the server, and which of it is picked. */
import { api, unwrap, type Conversation } from '$api/client';
import { projects } from '$features/projects/projects.svelte';
import { conversationStore } from '$features/sidebar/conversationStore.svelte';
import { toasts } from '$ui/toasts.svelte';
import {
  paletteCommands,
  conversationEntry,
  projectEntry,
  searchEntry,
  type PaletteHandlers,
  type PaletteEntry,
} from './commands.svelte';
import { rankByMatch } from './fuzzyMatch';

const PALETTE_SEARCH_DELAY_MS = 150;
const RECENT_CONVERSATIONS_MAX = 5;
const PALETTE_ENTRIES_MAX = 40;

export class Palette {
  #open = $state(false);
  #query = $state('');
  #found = $state.raw<readonly Conversation[]>([]);
  #picked = $state<string | null>(null);
  searching = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #doors: PaletteHandlers;

  entries = $derived.by<readonly PaletteEntry[]>(() => {
    const conversations = this.#conversations().map(conversationEntry);
    const commands = paletteCommands(this.#doors);
    const query = this.query.trim();
    if (!query) return [...conversations.slice(0, RECENT_CONVERSATIONS_MAX), ...commands];
    const all = [...commands, ...projects.list.map(projectEntry), ...conversations];
    return [
      ...rankByMatch(query, all, (entry) => entry.label).slice(0, PALETTE_ENTRIES_MAX),
      searchEntry(query),
    ];
  });
  /** The entry that Enter opens: the best one until the person moves. */
  picked = $derived(this.entries.find((entry) => entry.id === this.#picked) ?? this.entries[0]);

  constructor(doors: PaletteHandlers) {
    this.#doors = doors;
  }

  get open(): boolean {
    return this.#open;
  }

  set open(open: boolean) {
    this.#open = open;
    this.query = '';
  }

  get query(): string {
    return this.#query;
  }

  set query(query: string) {
    this.#query = query;
    this.#picked = null;
    clearTimeout(this.#timer);
    this.searching = query.trim() !== '';
    if (this.searching)
      this.#timer = setTimeout(() => void this.#search(query.trim()), PALETTE_SEARCH_DELAY_MS);
    else this.#found = [];
  }

  /** Pick the entry some steps away; after the last comes the first. */
  move(steps: number): void {
    const at = this.picked ? this.entries.indexOf(this.picked) : 0;
    this.pick(this.entries.at((at + steps) % this.entries.length));
  }

  pick(entry: PaletteEntry | undefined): void {
    this.#picked = entry?.id ?? null;
  }

  /** Do what an entry offers. */
  choose(entry: PaletteEntry | undefined): void {
    if (!entry) return;
    this.open = false;
    entry.act();
  }

  /** Those that can be found: no temporary ones. */
  #conversations(): Conversation[] {
    const listed = conversationStore.items.filter(({ temporary }) => !temporary);
    const others = this.#found.filter((found) => !listed.some((known) => known.id === found.id));
    return [...listed, ...others];
  }

  async #search(search: string): Promise<void> {
    try {
      const query = { search, limit: PALETTE_ENTRIES_MAX };
      const page = await unwrap(api.GET('/api/conversations', { params: { query } }));
      if (search === this.query.trim()) this.#found = page.conversations;
    } catch (error) {
      toasts.showError(error);
    } finally {
      if (search === this.query.trim()) this.searching = false;
    }
  }
}
