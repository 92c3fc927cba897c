/** The receipt that is looked at: fetched when it is opened, its texts when somebody wants to read them. */
import { SvelteSet } from 'svelte/reactivity';
import { api, need, Problem, type Reply } from '$api/client';
import { Fetched } from '$ui/fetched.svelte';
import { askedOut, isSame, textsIn, type Receipt } from './receipt';
import { words } from './receiptTexts';

/** Which reply's receipt is shown, if any. */
class Shown {
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

export const shownReceipt = new Shown();

export class OpenReceipt {
  readonly of: Fetched<Receipt>;
  readonly texts: Fetched<Map<string, string>>;
  /** What the next prompt is to go without. */
  readonly without = new SvelteSet<string>();
  #asked = $state.raw<readonly string[]>([]);

  constructor(replyId: string) {
    this.of = new Fetched(() => fetched(replyId, false));
    this.texts = new Fetched(async () => textsIn(await fetched(replyId, true)));
  }

  /** Whether another prompt would come of what is ticked. */
  get isChanged(): boolean {
    return !isSame(this.without, this.#asked);
  }

  /** Fetch it; again once there is more to say of it. What is ticked stays. */
  async load(): Promise<void> {
    const first = this.of.value === null;
    await this.of.load();
    if (!first || !this.of.value) return;
    this.#asked = askedOut(this.of.value.plan.left_out);
    this.reset();
  }

  toggle(id: string): void {
    if (!this.without.delete(id)) this.without.add(id);
  }

  /** Tick what was left out of this prompt, and nothing else. */
  reset(): void {
    this.without.clear();
    for (const id of this.#asked) this.without.add(id);
  }

  /** Fetch the texts, once. */
  async read(): Promise<void> {
    if (!this.texts.value && !this.texts.waiting) await this.texts.load();
  }
}

async function fetched(replyId: string, texts: boolean): Promise<Receipt> {
  const params = { path: { reply_id: replyId }, query: { texts } };
  try {
    return await need(api.GET('/api/replies/{reply_id}/receipt', { params }));
  } catch (error) {
    throw error instanceof Problem && error.status === 404 ? new Error(words.none) : error;
  }
}
