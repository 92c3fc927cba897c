/** Planning again: first what would move and why, then all of it at once, with one undo. */
import { noteCalendarChange } from '$features/calendar/calendarChanges';
import { toasts } from '$ui/toasts.svelte';
import { replan, undoReplan, type Replan } from './requests';
import { words } from './texts';

export class ReplanState {
  /** What would move; null while nobody asked. */
  proposal = $state.raw<Replan | null>(null);
  busy = $state(false);

  /** Find out what would move; nothing is changed. */
  async ask(): Promise<void> {
    await this.#attempt(async () => {
      this.proposal = await replan(true);
    });
  }

  cancel(): void {
    this.proposal = null;
  }

  /** Move all that has to. */
  async apply(): Promise<void> {
    await this.#attempt(async () => {
      const { id, moves } = await replan(false);
      this.proposal = null;
      const undo = id ? { label: words.replan.undo, act: () => void this.#undo(id) } : undefined;
      toasts.show(moves.length ? words.replan.done(moves.length) : words.replan.nothing, undo);
    });
  }

  async #undo(id: string): Promise<void> {
    await this.#attempt(async () => {
      await undoReplan(id);
      toasts.show(words.replan.undone);
    });
  }

  async #attempt(doing: () => Promise<void>): Promise<void> {
    this.busy = true;
    try {
      await doing();
    } catch (error) {
      toasts.showError(error);
    } finally {
      this.busy = false;
      noteCalendarChange();
    }
  }
}
