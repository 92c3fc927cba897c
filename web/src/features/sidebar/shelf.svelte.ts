/** The person's conversations as the sidebar lists them, kept up to date by the feed. */
import { api, need, type Conversation, type ConversationEvent, type Schemas } from '$api/client';
import { owner } from '$features/composer/owner';
import { keepLast, readLast } from '$features/session/last';
import { live } from '$live/connection.svelte';
import { toasts } from '$ui/toasts.svelte';
import { changed, EMPTY, extended, grouped, heard, without, type Group, type List, type View } from './list';
import { words } from './texts';

const PAGE = 50;
const MOST_PINNED = 200;
const TYPING_PAUSE = 200;

type Change = Partial<Schemas['ConversationChange']>;

export class Shelf {
  #list = $state.raw<List>(EMPTY);
  #archived = $state(false);
  #search = $state('');
  loading = $state(false);
  loaded = $state(false);
  problem = $state<string | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Which request is the latest: an answer to an earlier one is dropped. */
  #asked = 0;

  items = $derived<readonly Conversation[]>(this.#list.items);
  groups = $derived<Group[]>(grouped(this.items, words.pinned));

  get hasMore(): boolean {
    return this.#list.next !== null;
  }

  get archived(): boolean {
    return this.#archived;
  }

  set archived(archived: boolean) {
    this.#archived = archived;
    this.#search = '';
    this.#list = EMPTY;
    this.loaded = false;
    void this.load();
  }

  get search(): string {
    return this.#search;
  }

  set search(search: string) {
    this.#search = search;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.load(), search ? TYPING_PAUSE : 0);
  }

  /** Fetch the list and follow the feed until the returned function is called. */
  open(): () => void {
    void this.load();
    return live.listen((event) => this.#hear(event));
  }

  /** Fetch the first page of what is looked at. */
  async load(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#fetch(null);
  }

  /** Fetch the page that follows, unless one is on its way. */
  async more(): Promise<void> {
    if (this.hasMore && !this.loading) await this.#fetch(this.#list.next);
  }

  /** Rename, pin, archive or share: shown at once, and taken back when the server refuses. */
  async change(conversation: Conversation, values: Change): Promise<void> {
    this.#put({ ...conversation, ...values });
    try {
      const request = api.PUT('/api/conversations/{conversation_id}', {
        params: { path: { conversation_id: conversation.id } },
        // Only what is to change is sent; the generated type asks for everything that has a default.
        body: values as Schemas['ConversationChange'],
      });
      this.#put(await need(request));
    } catch (error) {
      this.#put(conversation);
      toasts.problem(error);
    }
  }

  /** Take a conversation out that was deleted; the feed may tell of it later, or not at all. */
  remove(id: string): void {
    this.#show(without(this.#list, id));
  }

  #hear(event: ConversationEvent): void {
    if (event.type === 'reset') void this.load();
    else this.#show(heard(this.#list, event, this.#view));
  }

  #put(conversation: Conversation): void {
    this.#show(changed(this.#list, conversation, this.#view));
  }

  /** Show a list, and keep it for a start without the server. */
  #show(list: List): void {
    if (list === this.#list) return;
    this.#list = list;
    if (this.#archived || this.#search) return;
    const items = list.items.filter((one, place) => one.pinned || place < PAGE);
    keepLast('conversations', { owner: owner(), items });
  }

  async #fetch(after: string | null): Promise<void> {
    const asked = ++this.#asked;
    this.loading = true;
    try {
      const [pinned, page] = await Promise.all([
        after ? null : this.#ask({ pinned: true, limit: MOST_PINNED }),
        this.#ask({ pinned: false, limit: PAGE, ...(after ? { after } : {}) }),
      ]);
      if (asked !== this.#asked) return;
      this.#show(extended(pinned ?? this.#list, page));
      this.problem = null;
      this.loaded = true;
    } catch (error) {
      if (asked !== this.#asked) return;
      this.problem = (error as Error).message;
      if (!this.loaded && !this.archived) this.#list = lastSeen();
    } finally {
      if (asked === this.#asked) this.loading = false;
    }
  }

  async #ask(part: { pinned: boolean; limit: number; after?: string }): Promise<List> {
    const query = { ...this.#view, ...part };
    const page = await need(api.GET('/api/conversations', { params: { query } }));
    return { items: page.conversations, next: page.next ?? null };
  }

  get #view(): View {
    return { archived: this.#archived, search: this.#search.trim() };
  }
}

/** The list as it was when the server could last be reached. */
function lastSeen(): List {
  const last = readLast('conversations') as ({ owner?: string } & Partial<List>) | null;
  return last?.owner === owner() && Array.isArray(last.items) ? { items: last.items, next: null } : EMPTY;
}

export const shelf = new Shelf();
