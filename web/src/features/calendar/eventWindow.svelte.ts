/** The events of the days that are shown: fetched, and fetched anew when something changed. */
import type { Day } from '$lib/zonedTime';
import { listEvents, type CalendarEvent } from './requests';
import { eventKey } from './shownEvents';

export class EventWindow {
  events = $state.raw<readonly CalendarEvent[]>([]);
  /** Whether there was an answer at all; until another one comes, the last is shown. */
  loaded = $state(false);
  problem = $state('');
  #asked: readonly [first: Day, last: Day, zone: string] | null = null;
  #running: AbortController | null = null;

  /** Fetch the events of some days, of which the last is meant too. */
  async load(first: Day, last: Day, zone: string): Promise<void> {
    this.#asked = [first, last, zone];
    this.#running?.abort();
    const running = (this.#running = new AbortController());
    try {
      const events = await listEvents(first, last, zone, running.signal);
      if (!running.signal.aborted) Object.assign(this, { events, loaded: true, problem: '' });
    } catch (error) {
      if (!running.signal.aborted) this.problem = (error as Error).message;
    }
  }

  async reload(): Promise<void> {
    if (this.#asked) await this.load(...this.#asked);
  }

  /** Show an event as it is now. */
  put(event: CalendarEvent): void {
    const others = this.events.filter((other) => eventKey(other) !== eventKey(event));
    this.events = [...others, event];
  }

  drop(event: CalendarEvent): void {
    this.events = this.events.filter((other) => eventKey(other) !== eventKey(event));
  }

  stop(): void {
    this.#running?.abort();
  }
}
