/** Finding a time for a task, and putting it on the calendar. */
import { offerUndo } from '$features/deletions/undo';
import { addDays } from '$lib/days';
import { toasts } from '$ui/toasts.svelte';
import {
  findSlots,
  scheduleTask,
  unscheduleTask,
  type PreferredTime,
  type Slot,
  type Task,
} from './requests';
import { attempt } from './taskActions';
import { words } from './texts';

const DEFAULT_DURATION_MINUTES = 60;
const SEARCHED_DAYS = 14;

export class TaskScheduling {
  minutes = $state(DEFAULT_DURATION_MINUTES);
  first = $state('');
  last = $state('');
  preferred = $state<'' | PreferredTime>('');
  slots = $state.raw<readonly Slot[] | null>(null);
  problem = $state('');
  busy = $state(false);

  /** Take from a task how long it is, and until when it has to be done. */
  begin(task: Task, today: string): void {
    this.minutes = task.duration_minutes ?? DEFAULT_DURATION_MINUTES;
    this.first = task.start_date && task.start_date > today ? task.start_date : today;
    const isDueLater = task.due_date !== null && task.due_date >= this.first;
    this.last = isDueLater ? (task.due_date ?? '') : addDays(this.first, SEARCHED_DAYS - 1);
  }

  async search(): Promise<void> {
    this.busy = true;
    try {
      this.slots = await findSlots({
        duration_minutes: this.minutes,
        start_date: this.first,
        end_date: this.last,
        ...(this.preferred ? { preferred_time: this.preferred } : {}),
      });
      this.problem = '';
    } catch (error) {
      this.slots = null;
      this.problem = (error as Error).message;
    } finally {
      this.busy = false;
    }
  }

  /** Put a task at a time; the task as it is then, null where that was refused. */
  async choose(task: Task, slot: Slot): Promise<Task | null> {
    this.busy = true;
    const scheduled = await attempt(() =>
      scheduleTask(task.id, { start: slot.start, duration_minutes: this.minutes }),
    );
    this.busy = false;
    if (!scheduled) return null;
    this.slots = null;
    toasts.show(words.scheduledNow);
    return scheduled;
  }

  /** Take a task off the calendar, with a way back. */
  async remove(task: Task, onrestored: () => unknown): Promise<boolean> {
    const deletion = await attempt(() => unscheduleTask(task.id));
    if (deletion) offerUndo(deletion, { text: words.unscheduled, label: words.undo, onrestored });
    return deletion !== null;
  }
}
