/** What a person does with an event. What is refused is said, and what is shown is fetched again. */
import { offerUndo } from '$features/deletions/undo';
import { toasts } from '$ui/toasts.svelte';
import { noteCalendarChange } from './calendarChanges';
import {
  changeEvent,
  createEvent,
  deleteEvent,
  isLostRace,
  type CalendarEvent,
  type EventBody,
  type EventChange,
  type Scope,
} from './requests';
import { scopeQuestion } from './scopeQuestion.svelte';
import { words } from './texts';

/** Do something; null when the server refused it, and then its sentence is shown. */
async function attempt<T>(doing: () => Promise<T>): Promise<T | null> {
  try {
    return await doing();
  } catch (error) {
    if (isLostRace(error)) toasts.showError(words.lostRace);
    else toasts.showError(error);
    return null;
  } finally {
    noteCalendarChange();
  }
}

export const addEvent = (body: EventBody): Promise<CalendarEvent | null> => attempt(() => createEvent(body));

/** Move an event, with a way back; false when it stays where it was. */
export async function moveEvent(event: CalendarEvent, change: EventChange, when: string): Promise<boolean> {
  const scope = await scopeQuestion.ask(event, 'change');
  if (!scope) return false;
  const moved = await attempt(() => changeEvent(event, change, scope));
  if (!moved) return false;
  const back = { start: event.start, end: event.end, all_day: event.all_day };
  const undo = { label: words.undo, act: () => void undoMove(moved, back, scope) };
  // Later times are a series of their own now: there is no single step back.
  toasts.show(words.moved(when), scope === 'following' ? undefined : undo);
  return true;
}

async function undoMove(event: CalendarEvent, back: EventChange, scope: Scope): Promise<void> {
  if (await attempt(() => changeEvent(event, back, scope))) toasts.show(words.undone);
}

/** Delete an event, with a way back. */
export async function removeEvent(event: CalendarEvent): Promise<boolean> {
  const scope = await scopeQuestion.ask(event, 'delete');
  if (!scope) return false;
  const deletion = await attempt(() => deleteEvent(event, scope));
  if (!deletion) return false;
  const onrestored = () => {
    noteCalendarChange();
    toasts.show(words.restored);
  };
  offerUndo(deletion, { text: words.deleted, label: words.undo, onrestored });
  return true;
}
