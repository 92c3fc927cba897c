/** The line in which a task is written: what is understood is shown before it is saved. */
import { addDays } from '$lib/days';
import { toasts } from '$ui/toasts.svelte';
import {
  createTask,
  isTimeTaken,
  readDate,
  scheduleTask,
  type DateReading,
  type NewTask,
  type ScheduleRequest,
  type Task,
} from './requests';
import { parseQuickAdd, type QuickAddParts } from './quickAddText';
import { people } from './people.svelte';
import { attempt } from './taskActions';
import { words } from './texts';

/** Words are read once nobody has typed for so long. */
const READING_DELAY_MS = 150;

/** What the place where the line stands says of every task. */
export type QuickAddDefaults = Pick<NewTask, 'project_id' | 'phase_id' | 'status' | 'tags' | 'assignee_id'>;

export class QuickAdd {
  text = $state('');
  busy = $state(false);
  problem = $state('');
  /** Whether something was understood that the person has not seen before they wanted to save. */
  isUnseen = $state(false);
  #reading = $state.raw<DateReading | null>(null);
  /** The words that were read. */
  #readText = $state('');
  #ignored = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: AbortController | null = null;
  readonly #zone: () => string;
  readonly parts: QuickAddParts = $derived(parseQuickAdd(this.text, people.list));

  constructor(zone: () => string) {
    this.#zone = zone;
  }

  /** The day or time that the words name, unless the person said that they do not. */
  get reading(): DateReading | null {
    const isMeant = this.#reading !== null && this.#readText !== '' && this.#ignored !== this.#reading.said;
    return isMeant && this.text.trim() ? this.#reading : null;
  }

  get title(): string {
    return this.reading ? this.reading.rest.trim() : this.parts.rest;
  }

  /** How long it takes, as the words say it in one way or the other. */
  get minutes(): number | null {
    const { reading } = this;
    if (this.parts.minutes || !reading?.end || reading.all_day) return this.parts.minutes;
    return Math.round((Date.parse(reading.end) - Date.parse(reading.start)) / 60_000) || null;
  }

  type(text: string): void {
    this.text = text;
    this.isUnseen = false;
    this.problem = '';
    clearTimeout(this.#timer);
    if (!this.parts.rest) this.#keep('', null);
    else this.#timer = setTimeout(() => void this.#read(), READING_DELAY_MS);
  }

  /** Keep words in the title that were taken for a day. */
  ignoreReading(): void {
    this.#ignored = this.#reading?.said ?? '';
  }

  clear(): void {
    this.stop();
    this.text = '';
    this.problem = '';
    this.isUnseen = false;
    this.#ignored = '';
    this.#keep('', null);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  /** Save the task, once all that was understood has been shown; null where it is not saved. */
  async submit(defaults: Partial<QuickAddDefaults> = {}): Promise<Task | null> {
    if (this.busy || !this.text.trim()) return null;
    this.busy = true;
    try {
      return (await this.#isShown()) ? await this.#save(defaults) : null;
    } catch (error) {
      this.problem = (error as Error).message;
      return null;
    } finally {
      this.busy = false;
    }
  }

  async #isShown(): Promise<boolean> {
    if (this.#readText === this.parts.rest) return this.#hasTitle();
    await this.#read();
    this.isUnseen = this.reading !== null || this.problem !== '';
    return !this.isUnseen && this.#hasTitle();
  }

  #hasTitle(): boolean {
    if (!this.title) this.problem = words.needsTitle;
    return this.title !== '';
  }

  async #save(defaults: Partial<QuickAddDefaults>): Promise<Task> {
    const { reading } = this;
    const made = await createTask(this.#newTask(defaults));
    this.clear();
    return reading && !reading.all_day ? await this.#schedule(made, reading.start) : made;
  }

  /** Put a task on the calendar at the time that was named; it is made even where something lies there. */
  async #schedule(made: Task, start: string): Promise<Task> {
    const minutes = made.duration_minutes;
    const when = { start, pinned: true, ...(minutes ? { duration_minutes: minutes } : {}) };
    try {
      return await scheduleTask(made.id, when);
    } catch (error) {
      const act = (): void => void scheduleAnyway(made, when);
      toasts.showError(error, isTimeTaken(error) ? { label: words.scheduleAnyway, act } : undefined);
      return made;
    }
  }

  #newTask(defaults: Partial<QuickAddDefaults>): NewTask {
    const { priority, tags, assignee } = this.parts;
    const minutes = this.minutes;
    return {
      ...defaults,
      ...readingDays(this.reading),
      title: this.title,
      tags: mergeTags(defaults.tags ?? [], tags),
      ...(priority ? { priority } : {}),
      ...(assignee ? { assignee_id: assignee.user_id } : {}),
      ...(minutes ? { duration_minutes: minutes } : {}),
    };
  }

  async #read(): Promise<void> {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    const asking = (this.#asking = new AbortController());
    const text = this.parts.rest;
    try {
      const reading = await readDate(text, this.#zone(), asking.signal);
      if (!asking.signal.aborted) this.#keep(text, reading);
    } catch {
      if (asking.signal.aborted) return;
      this.#keep(text, null);
      this.problem = words.datesUnread;
    }
  }

  #keep(text: string, reading: DateReading | null): void {
    this.#readText = text;
    this.#reading = reading;
  }
}

/** Put a task on the calendar over what lies there: whoever named the time may mean that. */
async function scheduleAnyway(task: Task, when: ScheduleRequest): Promise<void> {
  if (await attempt(() => scheduleTask(task.id, { ...when, allow_overlap: true })))
    toasts.show(words.scheduledNow);
}

/** The days of a task that a reading names: from one to another, or the day on which it is due. */
export function readingDays(
  reading: Pick<DateReading, 'start' | 'end' | 'all_day' | 'rrule'> | null,
): Pick<NewTask, 'start_date' | 'due_date' | 'rrule'> {
  if (!reading) return {};
  const first = reading.start.slice(0, 10);
  // Days end with the one after the last.
  const last = reading.all_day && reading.end ? addDays(reading.end, -1) : first;
  const days = last > first ? { start_date: first, due_date: last } : { due_date: first };
  return reading.rrule ? { ...days, rrule: reading.rrule } : days;
}

const mergeTags = (given: readonly string[], said: readonly string[]): string[] => [
  ...given,
  ...said.filter((tag) => !given.includes(tag)),
];
