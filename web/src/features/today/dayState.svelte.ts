/** What a day holds: fetched, and fetched anew when something changed. */
import { noteCalendarChange } from '$features/calendar/calendarChanges';
import { toggleDone } from '$features/tasks/taskActions';
import type { Task } from '$features/tasks/requests';
import { momentsText } from '$lib/dateWords';
import type { Day } from '$lib/zonedTime';
import { toasts } from '$ui/toasts.svelte';
import { getDay, scheduleTask, unscheduleTask, type DayPlan, type SuggestedSlot } from './requests';
import { words } from './texts';

/** So long a task takes that does not say so. */
const DEFAULT_TASK_MINUTES = 30;

export class DayState {
  plan = $state.raw<DayPlan | null>(null);
  problem = $state('');
  /** The task that is being put on the calendar. */
  scheduling = $state('');
  #asked: readonly [day: Day, zone: string] | null = null;
  #running: AbortController | null = null;

  async load(day: Day, zone: string): Promise<void> {
    this.#asked = [day, zone];
    this.#running?.abort();
    const running = (this.#running = new AbortController());
    try {
      const plan = await getDay(day, zone, running.signal);
      if (!running.signal.aborted) Object.assign(this, { plan, problem: '' });
    } catch (error) {
      if (!running.signal.aborted) this.problem = (error as Error).message;
    }
  }

  async reload(): Promise<void> {
    if (this.#asked) await this.load(...this.#asked);
  }

  stop(): void {
    this.#running?.abort();
  }

  slotOf({ id }: Task): SuggestedSlot | undefined {
    return this.plan?.slots.find(({ task_id }) => task_id === id);
  }

  async toggleDone(task: Task): Promise<void> {
    await toggleDone(task, () => noteCalendarChange());
    noteCalendarChange();
  }

  /** Put a task on the calendar: when it was suggested, or at the next free time. */
  async schedule(task: Task, zone: string): Promise<void> {
    const slot = this.slotOf(task);
    const duration_minutes = task.duration_minutes ?? DEFAULT_TASK_MINUTES;
    this.scheduling = task.id;
    try {
      const { event } = await scheduleTask(
        task.id,
        slot ? { start: slot.start, duration_minutes } : { duration_minutes },
      );
      const when = momentsText(Date.parse(event.start), Date.parse(event.end), zone);
      toasts.show(words.scheduled(task.title, when), {
        label: words.undo,
        act: () => void this.#unschedule(task),
      });
    } catch (error) {
      toasts.showError(error);
    } finally {
      this.scheduling = '';
      noteCalendarChange();
    }
  }

  async #unschedule(task: Task): Promise<void> {
    try {
      await unscheduleTask(task.id);
      toasts.show(words.unscheduled);
    } catch (error) {
      toasts.showError(error);
    } finally {
      noteCalendarChange();
    }
  }
}
