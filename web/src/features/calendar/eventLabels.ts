/** What is said of an event where only its look would tell. */
import { fullDateText, timeText } from '$lib/dateWords';
import { describeRule } from '$lib/recurrenceRules';
import { eventTimeText, type ShownEvent } from './shownEvents';
import { words } from './texts';

export const eventTitle = ({ event }: Pick<ShownEvent, 'event'>): string => event.title || words.untitled;

/** From when to when on the clock: `16:00 – 17:00`. */
export const clockRange = ({ start, end }: { start: number; end: number }, zone: string): string =>
  `${timeText(start, zone)} – ${timeText(end, zone)}`;

/**
 * Everything that is known of an event at a glance, for who does not see it. It begins with the words that are
 * seen, so that who speaks to their computer can say them.
 */
export function eventLabel(seen: readonly string[], shown: ShownEvent, zone: string): string {
  const { event, calendar, firstDay, lastDay } = shown;
  const isTimeSeen = firstDay === lastDay && seen.includes(clockRange(shown, zone));
  const rest = [
    isTimeSeen ? fullDateText(firstDay) : eventTimeText(shown, zone),
    seen.includes(event.location) ? '' : event.location,
    calendar?.name,
    event.status === 'tentative' ? words.tentative : '',
    event.status === 'cancelled' ? words.cancelled : '',
    event.task_id ? words.ofTask : '',
    event.is_recurring && event.rrule ? describeRule(event.rrule) : '',
    event.problem,
  ];
  return [seen.filter(Boolean).join(' '), ...rest].filter(Boolean).join(', ');
}
