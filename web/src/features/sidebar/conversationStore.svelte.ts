/** The person's conversations as the sidebar lists them, kept up to date by the feed. */
import { api, unwrap, type Conversation, type ConversationEvent, type Schemas } from '$api/client';
import { storageOwner } from '$features/session/storageOwner';
import { writeOfflineCache, readOfflineCache } from '$features/session/offlineCache';
import { live } from '$live/connection.svelte';
import { toasts } from '$ui/toasts.svelte';
import {
  putConversation,
  EMPTY_LIST,
  appendPage,
  groupByDay,
  applyEventToList,
  removeConversation,
  type ConversationGroup,
  type ConversationPages,
  type ListFilter,
} from './conversationPages';
import { words } from './texts';

const CONVERSATIONS_PAGE_SIZE = 50;
const PINNED_CONVERSATIONS_MAX = 200;
const CONVERSATION_SEARCH_DELAY_MS = 200;

type Change = Partial<Schemas['ConversationChange']>;

export class ConversationStore {
  #list = $state.raw<ConversationPages>(EMPTY_LIST);
  #archived = $state(false);
  #search = $state('');
  loading = $state(false);
  loaded = $state(false);
  problem = $state<string | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Which request is the latest: an answer to an earlier one is dropped. */
  #asked = 0;
  /** What was heard since then: the answer may be older than that. */
  #heardSince: ConversationEvent[] = [];

  items = $derived<readonly Conversation[]>(this.#list.items);
  groups = $derived<ConversationGroup[]>(groupByDay(this.items, words.pinned));

  get hasMore(): boolean {
    return this.#list.next !== null;
  }

  get archived(): boolean {
    return this.#archived;
  }

  set archived(archived: boolean) {
    this.#archived = archived;
    this.#search = '';
    this.#list = EMPTY_LIST;
    this.loaded = false;
    void this.load();
  }

  get search(): string {
    return this.#search;
  }

  set search(search: string) {
    this.#search = search;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.load(), search ? CONVERSATION_SEARCH_DELAY_MS : 0);
  }

  /** Fetch the list and follow the feed until the returned function is called. */
  open(): () => void {
    const ends = [live.subscribe((event) => this.#hear(event)), live.onBegin(() => void this.load())];
    return () => ends.forEach((end) => end());
  }

  /** Fetch the first page of what is looked at. */
  async load(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#fetch(null);
  }

  /** Fetch the page that follows, unless one is on its way. */
  async loadMore(): Promise<void> {
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
      this.#put(await unwrap(request));
    } catch (error) {
      this.#put(conversation);
      toasts.showError(error);
    }
  }

  /** Take a conversation out that was deleted; the feed may tell of it later, or not at all. */
  remove(id: string): void {
    this.#show(removeConversation(this.#list, id));
  }

  #hear(event: ConversationEvent): void {
    if (this.loading) this.#heardSince.push(event);
    // Until there is a list, there is none to show with this alone in it.
    if (this.loaded) this.#show(applyEventToList(this.#list, event, this.#view));
  }

  #put(conversation: Conversation): void {
    this.#show(putConversation(this.#list, conversation, this.#view));
  }

  /** Show a list, and keep it for a start without the server. */
  #show(list: ConversationPages): void {
    if (list === this.#list) return;
    this.#list = list;
    if (this.#archived || this.#search) return;
    // Nothing of a temporary one is left in the browser.
    const lasting = list.items.filter(({ temporary }) => !temporary);
    const items = lasting.filter((item, place) => item.pinned || place < CONVERSATIONS_PAGE_SIZE);
    writeOfflineCache('conversations', { owner: storageOwner(), items });
  }

  async #fetch(after: string | null): Promise<void> {
    const asked = ++this.#asked;
    this.#heardSince = [];
    this.loading = true;
    try {
      const [pinned, page] = await Promise.all([
        after ? null : this.#ask({ pinned: true, limit: PINNED_CONVERSATIONS_MAX }),
        this.#ask({ pinned: false, limit: CONVERSATIONS_PAGE_SIZE, ...(after ? { after } : {}) }),
      ]);
      if (asked !== this.#asked) return;
      this.#show(this.#withHeard(appendPage(pinned ?? this.#list, page)));
      this.problem = null;
      this.loaded = true;
    } catch (error) {
      if (asked !== this.#asked) return;
      this.problem = (error as Error).message;
      if (!this.loaded && !this.archived) this.#list = this.#withHeard(lastSeen());
    } finally {
      if (asked === this.#asked) this.loading = false;
    }
  }

  /** Return a list with all that was heard since it was asked for. */
  #withHeard(list: ConversationPages): ConversationPages {
    return this.#heardSince.reduce((pages, event) => applyEventToList(pages, event, this.#view), list);
  }

  async #ask(part: { pinned: boolean; limit: number; after?: string }): Promise<ConversationPages> {
    const query = { ...this.#view, ...part };
    const page = await unwrap(api.GET('/api/conversations', { params: { query } }));
    return { items: page.conversations, next: page.next ?? null };
  }

  get #view(): ListFilter {
    return { archived: this.#archived, search: this.#search.trim() };
  }
}

/** The list as it was when the server could last be reached. */
function lastSeen(): ConversationPages {
  const last = readOfflineCache('conversations') as ({ owner?: string } & Partial<ConversationPages>) | null;
  return last?.owner === storageOwner() && Array.isArray(last.items)
    ? { items: last.items, next: null }
    : EMPTY_LIST;
}

export const conversationStore = new ConversationStore();
