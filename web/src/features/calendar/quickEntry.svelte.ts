/** Something that is written in words, and what was read in it. */
import { readDates, type DateReading } from './requests';
import type { EventDraft } from './eventForm';
import { words } from './texts';
import { DAY_MINUTES, MINUTE_MS, momentAt } from '$lib/zonedTime';

/** So long after the last letter it is read. */
const READ_DELAY_MS = 200;
const DEFAULT_MINUTES = 60;

export class QuickEntry {
  #text = $state('');
  reading = $state.raw<DateReading | null>(null);
  /** The words that were read. */
  #readText = '';
  /** Why nothing was read. */
  problem = $state('');
  readonly #zone: () => string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | null = null;

  constructor(zone: () => string) {
    this.#zone = zone;
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    clearTimeout(this.#timer);
    this.#running?.abort();
    if (text.trim()) this.#timer = setTimeout(() => void this.read(), READ_DELAY_MS);
    else this.#forget();
  }

  /** Whether what stands there was read, and nothing was written since. */
  get isRead(): boolean {
    return this.reading !== null && this.#readText === this.#text;
  }

  clear(): void {
    this.text = '';
  }

  /** Have the words read, and wait for it. */
  async read(): Promise<void> {
    clearTimeout(this.#timer);
    const running = (this.#running = new AbortController());
    const text = this.#text;
    try {
      const reading = await readDates(text, this.#zone(), running.signal);
      if (running.signal.aborted) return;
      this.#readText = text;
      Object.assign(this, { reading, problem: '' });
    } catch (error) {
      if (!running.signal.aborted) Object.assign(this, { reading: null, problem: (error as Error).message });
    }
  }

  #forget(): void {
    Object.assign(this, { reading: null, problem: '' });
  }
}

/** An event as words say it; where they say no end, it lasts an hour. */
export function draftOfReading(reading: DateReading, zone: string): EventDraft {
  const { start, end, all_day: isAllDay, rrule: rule, rest } = reading;
  const title = rest || words.create;
  if (isAllDay) {
    const last = end ? momentAt(end.slice(0, 10), 0, zone) : momentAt(start.slice(0, 10), DAY_MINUTES, zone);
    return { times: { start: momentAt(start.slice(0, 10), 0, zone), end: last }, isAllDay, rule, title };
  }
  const from = Date.parse(start);
  const until = end ? Date.parse(end) : from + DEFAULT_MINUTES * MINUTE_MS;
  return { times: { start: from, end: until }, isAllDay, rule, title };
}
