/** Reminders as they come: how many wait, and a short note for each that is new. */
import { goto } from '$app/navigation';
import { live } from '$live/connection.svelte';
import { toasts } from '$ui/toasts.svelte';
import { hrefOf, titleText, whenText } from './reminderWords';
import {
  dismissAllReminders,
  dismissReminder,
  listReminders,
  snoozeReminder,
  type Reminder,
} from './requests';
import { words } from './texts';

/** Reminders that come within this time are fetched together. */
const NEWS_DELAY_MS = 100;
/** Of many that come at once, some are told by themselves. */
const TOASTS_AT_ONCE_MAX = 2;

class ReminderFeed {
  waiting = $state.raw<readonly Reminder[]>([]);
  recent = $state.raw<readonly Reminder[]>([]);
  #known = new Set<string>();
  #isLoaded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    const ends = [
      live.subscribe((event) => {
        if ((event.type as string) === 'reminder.due') this.#noteNews();
      }),
      live.onBegin(() => void this.load()),
      () => this.#stop(),
    ];
    return () => ends.forEach((end) => end());
  }

  /** Fetch the reminders, and tell of those that are new; where that fails, the next event says it. */
  async load(): Promise<void> {
    const list = await listReminders().catch(() => null);
    if (!list) return;
    this.waiting = list.waiting;
    this.recent = list.recent;
    const fresh = list.waiting.filter(({ id }) => !this.#known.has(id));
    // What is put off is new when it comes again.
    this.#known = new Set(list.waiting.map(({ id }) => id));
    if (this.#isLoaded) this.#tell(fresh);
    this.#isLoaded = true;
  }

  dismiss = (reminder: Reminder): Promise<void> => this.#act([reminder], () => dismissReminder(reminder.id));

  dismissAll = (): Promise<void> => this.#act(this.waiting, dismissAllReminders);

  snooze = (reminder: Reminder, minutes: number): Promise<void> =>
    this.#act([reminder], () => snoozeReminder(reminder.id, minutes));

  /** Take reminders away at once, and bring them back where the server refuses it. */
  async #act(gone: readonly Reminder[], request: () => Promise<void>): Promise<void> {
    this.waiting = this.waiting.filter((reminder) => !gone.includes(reminder));
    try {
      await request();
    } catch (error) {
      toasts.showError(error);
    }
    await this.load();
  }

  #tell(fresh: readonly Reminder[]): void {
    for (const reminder of fresh.slice(0, TOASTS_AT_ONCE_MAX)) {
      toasts.show(`${titleText(reminder)} · ${whenText(reminder)}`, {
        label: words.open,
        act: () => void goto(hrefOf(reminder)),
      });
    }
    const more = fresh.length - TOASTS_AT_ONCE_MAX;
    if (more > 0) toasts.show(words.waiting(fresh.length));
  }

  #noteNews(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.load();
    }, NEWS_DELAY_MS);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isLoaded = false;
    this.#known = new Set();
    this.waiting = [];
    this.recent = [];
  }
}

export const reminderFeed = new ReminderFeed();
