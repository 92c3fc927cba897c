/** Events and tasks that tools wrote, in words. */
import type { Reply, Schemas } from '$api/client';
import { eventHref } from '$features/calendar/calendarView';
import { daysText, fullDateText, momentsText, timeText, zoneText } from '$lib/dateWords';
import { addDays, dayOf } from '$lib/zonedTime';
import { words } from './plannedTexts';

export type WrittenItem = Schemas['WrittenItemView'];
type ToolCall = Reply['tool_calls'][number];

/** What some calls wrote: of each thing as it was last, made where it was made. */
export function listWritten(calls: readonly ToolCall[]): WrittenItem[] {
  const items = new Map<string, WrittenItem>();
  for (const item of calls.flatMap(({ written }) => written ?? [])) {
    const key = `${item.kind}/${item.id}/${item.recurrence_id ?? ''}`;
    const isNew = items.get(key)?.action === 'created' && item.action !== 'deleted';
    items.set(key, isNew ? { ...item, action: 'created' } : item);
  }
  return [...items.values()];
}

/** Count the events and tasks that are there because of some calls. */
export const countPlanned = (calls: readonly ToolCall[]): number =>
  new Set(
    calls
      .flatMap(({ written }) => written ?? [])
      .filter(({ action }) => action === 'created' || action === 'scheduled')
      .map(({ kind, id }) => `${kind}/${id}`),
  ).size;

const isDayText = (text: string): boolean => text.length === 10;

/** When something is: weekday, date, time and zone. Empty where it has no date. */
export function plannedTime(item: WrittenItem, zone: string): string {
  const { start = '', end = '', kind } = item;
  if (!start) return '';
  if (isDayText(start)) {
    if (kind === 'task') return taskDays(start, item.due_date ?? '');
    const last = isDayText(end) && end > start ? addDays(end, -1) : start;
    return daysText(start, last);
  }
  const [from, until] = [Date.parse(start), Date.parse(end || start)];
  return `${momentsText(from, until, zone)} (${zoneText(zone)})`;
}

/** From when on a task is to be done, and when it is due, as far as it has such days. */
function taskDays(start: string, due: string): string {
  if (!due) return words.from(fullDateText(start));
  return due === start ? words.due(fullDateText(due)) : words.fromDue(fullDateText(start), fullDateText(due));
}

/** The same by the clocks where it takes place; empty where those are the person's own. */
export function plannedOwnTime({ start = '', time_zone: own = '' }: WrittenItem, zone: string): string {
  if (!own || own === zone || !start || isDayText(start)) return '';
  const moment = Date.parse(start);
  const isSame =
    timeText(moment, own) === timeText(moment, zone) && dayOf(moment, own) === dayOf(moment, zone);
  return isSame ? '' : `${timeText(moment, own)} ${zoneText(own)}`;
}

/** Where something is shown; null where it is there no longer. */
export function plannedHref(item: WrittenItem, zone: string): string | null {
  if (item.action === 'deleted') return null;
  if (item.kind === 'task') return `/tasks/${item.id}`;
  const { start = '' } = item;
  return eventHref(item as { id: string }, isDayText(start) ? start : dayOf(Date.parse(start), zone));
}

/** What was done, in two words. */
export function plannedAction({ kind, action }: WrittenItem): string {
  const names: Record<string, string> = words.actions[kind];
  return names[action] ?? words.actions[kind].changed;
}
