/** The palette: what is typed, what that finds here and on the server, and which of it is picked. */
import { api, need, type Conversation } from '$api/client';
import { projects } from '$features/projects/projects.svelte';
import { shelf } from '$features/sidebar/shelf.svelte';
import { toasts } from '$ui/toasts.svelte';
import {
  actions,
  conversationEntry,
  projectEntry,
  searchEntry,
  type Doors,
  type Entry,
} from './actions.svelte';
import { ranked } from './fuzzy';

const TYPING_PAUSE = 150;
const RECENT = 5;
const MOST = 40;

export class Palette {
  #open = $state(false);
  #query = $state('');
  #found = $state.raw<readonly Conversation[]>([]);
  #picked = $state<string | null>(null);
  searching = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #doors: Doors;

  entries = $derived.by<readonly Entry[]>(() => {
    const conversations = this.#conversations().map(conversationEntry);
    const commands = actions(this.#doors);
    const query = this.query.trim();
    if (!query) return [...conversations.slice(0, RECENT), ...commands];
    const all = [...commands, ...projects.list.map(projectEntry), ...conversations];
    return [...ranked(query, all, (entry) => entry.label).slice(0, MOST), searchEntry(query)];
  });
  /** The entry that Enter opens: the best one until the person moves. */
  picked = $derived(this.entries.find((entry) => entry.id === this.#picked) ?? this.entries[0]);

  constructor(doors: Doors) {
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
    if (this.searching) this.#timer = setTimeout(() => void this.#search(query.trim()), TYPING_PAUSE);
    else this.#found = [];
  }

  /** Pick the entry some steps away; after the last comes the first. */
  move(steps: number): void {
    const at = this.picked ? this.entries.indexOf(this.picked) : 0;
    this.pick(this.entries.at((at + steps) % this.entries.length));
  }

  pick(entry: Entry | undefined): void {
    this.#picked = entry?.id ?? null;
  }

  /** Do what an entry offers. */
  choose(entry: Entry | undefined): void {
    if (!entry) return;
    this.open = false;
    entry.act();
  }

  #conversations(): Conversation[] {
    const listed = shelf.items;
    const others = this.#found.filter((one) => !listed.some((known) => known.id === one.id));
    return [...listed, ...others];
  }

  async #search(search: string): Promise<void> {
    try {
      const query = { search, limit: MOST };
      const page = await need(api.GET('/api/conversations', { params: { query } }));
      if (search === this.query.trim()) this.#found = page.conversations;
    } catch (error) {
      toasts.problem(error);
    } finally {
      if (search === this.query.trim()) this.searching = false;
    }
  }
}
