/** The inbox: proposals, which of them the keyboard is at, and what is decided about them. */
import { SvelteSet } from 'svelte/reactivity';
import { ApiError } from '$api/client';
import { toasts } from '$ui/toasts.svelte';
import { memoryFeed } from './memoryFeed.svelte';
import { MemoryList } from './memoryList.svelte';
import { QuotedMessages } from './quotedMessages';
import { approveMemories, changeMemory, rejectMemories, type Memory, type MemoryChange } from './requests';
import { words } from './texts';

export type Decision = 'approve' | 'reject';

const DECISIONS = { approve: approveMemories, reject: rejectMemories };

export class Inbox {
  readonly messages = new QuotedMessages();
  readonly list = new MemoryList(async (found, signal) => {
    await this.messages.load(found, signal);
    this.#stay(found);
  });
  readonly selected = new SvelteSet<string>();
  /** Which proposal is being edited. */
  editing = $state<string | null>(null);
  #current = $state('');
  #place = $state(0);

  get current(): Memory | undefined {
    const { items } = this.list;
    return items.find(({ id }) => id === this.#current) ?? items[Math.min(this.#place, items.length - 1)];
  }

  /** Those that are selected and still there. */
  get selectedIds(): string[] {
    return this.list.items.map(({ id }) => id).filter((id) => this.selected.has(id));
  }

  load(): Promise<void> {
    return this.list.load({ status: ['proposed'] });
  }

  pick({ id }: Memory): void {
    this.#current = id;
    this.#place = Math.max(
      0,
      this.list.items.findIndex((item) => item.id === id),
    );
  }

  /** Go some proposals on or back; false where there is none. */
  move(steps: number): boolean {
    const at = this.list.items.findIndex(({ id }) => id === this.current?.id);
    const next = this.list.items[at + steps];
    if (next) this.pick(next);
    return next !== undefined;
  }

  toggle(id: string): void {
    if (!this.selected.delete(id)) this.selected.add(id);
  }

  selectAll(on: boolean): void {
    this.selected.clear();
    if (on) for (const { id } of this.list.items) this.selected.add(id);
  }

  /** Approve proposals or turn them down; where another device was faster, fetch what is left. */
  async decide(decision: Decision, ids: string[], onshow: () => void = () => undefined): Promise<boolean> {
    if (!ids.length) return false;
    try {
      await DECISIONS[decision](ids);
      this.#leave(ids);
      const said = decision === 'approve' ? words.approved : words.rejected;
      toasts.show(said(ids.length), { label: words.show, act: onshow });
      return true;
    } catch (error) {
      toasts.showError(error);
      if (error instanceof ApiError && [404, 409].includes(error.status)) memoryFeed.noteChange();
      return false;
    }
  }

  /** Correct a proposal before it is decided about. */
  async correct(memory: Memory, values: MemoryChange): Promise<boolean> {
    try {
      this.list.put(await changeMemory(memory, values));
      this.editing = null;
      return true;
    } catch (error) {
      toasts.showError(error);
      if (error instanceof ApiError && [404, 409].includes(error.status)) memoryFeed.noteChange();
      return false;
    }
  }

  #leave(ids: readonly string[]): void {
    const at = this.list.items.findIndex(({ id }) => id === this.current?.id);
    const before = this.list.items.slice(0, Math.max(0, at)).filter(({ id }) => ids.includes(id)).length;
    this.#place = Math.max(0, at - before);
    this.list.drop(ids);
    this.#stay(this.list.items);
    for (const id of ids) this.selected.delete(id);
    if (this.editing && ids.includes(this.editing)) this.editing = null;
    memoryFeed.noteChange();
  }

  /** Hold on to the proposal that is read: what comes in before it must not be decided about in its place. */
  #stay(listed: readonly Memory[]): void {
    if (listed.some(({ id }) => id === this.#current)) return;
    this.#current = listed[Math.min(this.#place, listed.length - 1)]?.id ?? '';
  }
}
