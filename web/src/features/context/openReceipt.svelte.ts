/** The receipt that is looked at: fetched when it is opened, its texts when somebody wants to read them. */
import { SvelteSet } from 'svelte/reactivity';
import { api, unwrap, ApiError, type Reply } from '$api/client';
import { Resource } from '$ui/resource.svelte';
import { idsLeftOutByPerson, hasSameIds, textsById, type Receipt } from './receipt';
import { words } from './receiptTexts';

/** Which reply's receipt is shown, if any. */
class ReceiptDrawerState {
  open = $state(false);
  reply = $state.raw<Reply | null>(null);

  show(reply: Reply): void {
    this.reply = reply;
    this.open = true;
  }

  close(): void {
    this.open = false;
  }
}

export const receiptDrawer = new ReceiptDrawerState();

export class OpenReceipt {
  readonly receipt: Resource<Receipt>;
  readonly texts: Resource<Map<string, string>>;
  /** What the next prompt is to go without. */
  readonly leftOutIds = new SvelteSet<string>();
  #asked = $state.raw<readonly string[]>([]);

  constructor(replyId: string) {
    this.receipt = new Resource(() => fetchReceipt(replyId, false));
    this.texts = new Resource(async () => textsById(await fetchReceipt(replyId, true)));
  }

  /** Whether another prompt would come of what is ticked. */
  get isChanged(): boolean {
    return !hasSameIds(this.leftOutIds, this.#asked);
  }

  /** Fetch it; again once there is more to say of it. What is ticked stays. */
  async load(): Promise<void> {
    const first = this.receipt.value === null;
    await this.receipt.load();
    if (!first || !this.receipt.value) return;
    this.#asked = idsLeftOutByPerson(this.receipt.value.plan.left_out);
    this.reset();
  }

  toggle(id: string): void {
    if (!this.leftOutIds.delete(id)) this.leftOutIds.add(id);
  }

  /** Tick what was left out of this prompt, and nothing else. */
  reset(): void {
    this.leftOutIds.clear();
    for (const id of this.#asked) this.leftOutIds.add(id);
  }

  /** Fetch the texts, once. */
  async loadTexts(): Promise<void> {
    if (!this.texts.value && !this.texts.isLoading) await this.texts.load();
  }
}

async function fetchReceipt(replyId: string, texts: boolean): Promise<Receipt> {
  const params = { path: { reply_id: replyId }, query: { texts } };
  try {
    return await unwrap(api.GET('/api/replies/{reply_id}/receipt', { params }));
  } catch (error) {
    throw error instanceof ApiError && error.status === 404 ? new Error(words.none) : error;
  }
}
