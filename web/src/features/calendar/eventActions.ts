/** What a person does with an event. What is refused is said, and what is shown is fetched again. */
import { offerUndo } from '$features/deletions/undo';
import { toasts } from '$ui/toasts.svelte';
import { noteCalendarChange } from './calendarChanges';
import {
  changeEvent,
  createEvent,
  deleteEvent,
  getEvent,
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

/** The last change of each event from here, answered or not. */
const lastChanges = new Map<string, Promise<CalendarEvent | null>>();

/** Change an event once its changes from here are through: those are none from elsewhere. */
export function changeInOrder(
  event: CalendarEvent,
  change: EventChange,
  scope: Scope,
): Promise<CalendarEvent> {
  const before = lastChanges.get(event.id);
  const doing = (async () => {
    // Times of a series that has moved have other names: those are read again first.
    const last = event.is_recurring ? null : await before;
    const revision = Math.max(event.revision, last?.revision ?? 0);
    return changeEvent({ ...event, revision }, change, scope);
  })();
  lastChanges.set(
    event.id,
    doing.catch(() => before ?? null),
  );
  return doing;
}

/** Move an event, with a way back; false when it stays where it was. */
export async function moveEvent(event: CalendarEvent, change: EventChange, when: string): Promise<boolean> {
  const scope = await scopeQuestion.ask(event, 'change');
  if (!scope) return false;
  const done = await attempt(async () => {
    const before = await findReturned(event, scope);
    return { before, moved: await changeInOrder(event, change, scope) };
  });
  if (!done) return false;
  const { before, moved } = done;
  const back = { start: before.start, end: before.end, all_day: before.all_day };
  const undo = { label: words.undo, act: () => void undoMove(moved, back, scope) };
  // Later times are a series of their own now: there is no single step back.
  toasts.show(words.moved(when), scope === 'following' ? undefined : undo);
  return true;
}

/** The time that the server answers a change with: of a series that is changed as a whole, the first. */
const findReturned = async (event: CalendarEvent, scope: Scope): Promise<CalendarEvent> =>
  event.is_recurring && scope === 'all' ? getEvent(event.id, null) : event;

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
