/** Which view the calendar opens with: the one that was used last, on phones never the week. */
import { readStored, writeStored } from '$lib/storage';
import { VIEWS, type View } from './calendarView';

const VIEW_STORAGE_KEY = 'tertulia.calendar-view';
const PHONE = '(max-width: 40rem)';

export function usualView(isPhone = matchMedia(PHONE).matches): View {
  const last = VIEWS.find((view) => view === readStored(VIEW_STORAGE_KEY));
  if (isPhone) return last === 'agenda' || last === 'month' ? last : 'day';
  return last ?? 'week';
}

export const rememberView = (view: View): void => void writeStored(VIEW_STORAGE_KEY, view);
