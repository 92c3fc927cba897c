/** What a person does with a calendar as a whole. What is refused is said. */
import { offerUndo } from '$features/deletions/undo';
import { toasts } from '$ui/toasts.svelte';
import { noteCalendarChange } from './calendarChanges';
import {
  createCalendar,
  deleteCalendar,
  exportHref,
  importEvents,
  removeAccount,
  type Calendar,
} from './requests';
import { words } from './settingsTexts';

async function attempt<T>(doing: () => Promise<T>): Promise<T | null> {
  try {
    return await doing();
  } catch (error) {
    toasts.showError(error);
    return null;
  } finally {
    noteCalendarChange();
  }
}

export async function addCalendar(name: string, color: string): Promise<boolean> {
  const added = await attempt(() => createCalendar(name, color));
  if (added) toasts.show(words.added);
  return added !== null;
}

/** Delete or disconnect a calendar, with a way back. */
export async function removeCalendar(calendar: Calendar): Promise<void> {
  const deletion = await attempt(() => deleteCalendar(calendar.id));
  if (!deletion) return;
  const onrestored = () => {
    noteCalendarChange();
    toasts.show(words.restored);
  };
  offerUndo(deletion, { text: words.deleted, label: words.undo, onrestored });
}

/** Forget an account with all of its calendars. */
export async function disconnectAccount(id: string): Promise<void> {
  const isGone = await attempt(async () => (await removeAccount(id), true));
  if (isGone) toasts.show(words.disconnected);
}

export async function importFile(calendar: Calendar, file: File): Promise<void> {
  const answer = await attempt(async () => importEvents(calendar.id, await file.text()));
  if (!answer) return;
  const { created, replaced, unchanged, skipped_count } = answer;
  toasts.show(words.imported({ created, replaced, unchanged }));
  const [first] = answer.skipped;
  if (first) toasts.showError(words.skipped(first.title, first.reason, skipped_count));
}

/** Have the browser save a calendar as a file. */
export function exportCalendar(calendar: Calendar): void {
  const link = Object.assign(document.createElement('a'), { href: exportHref(calendar.id), download: '' });
  document.body.append(link);
  link.click();
  link.remove();
}
