/** What every part of the calendar page has to know. */
import { createContext } from 'svelte';
import type { Day } from '$lib/zonedTime';
import type { EventDrag } from './eventDrag.svelte';
import type { ShownEvent } from './shownEvents';

interface CalendarContext {
  readonly zone: string;
  readonly now: number;
  readonly today: Day;
  readonly canWrite: boolean;
  readonly drag: EventDrag;
  /** Show all that is known of an event. */
  readonly onopen: (shown: ShownEvent) => void;
  /** Begin an event at a moment, or on a day as a whole. */
  readonly oncreate: (at: { moment: number } | { day: Day }) => void;
}

export const [getCalendarContext, setCalendarContext] = createContext<CalendarContext>();
