/** When something is, said shortly: from now for what is near. */
import { session } from '$features/session/session.svelte';
import { browserTimeZone } from '$features/session/timeZones';
import { formatLongDay } from '$lib/days';
import { taskHref } from '$lib/hrefs';
import { formatDateTime } from '$lib/times';
import { dayOf } from '$lib/zonedTime';
import type { Reminder } from './requests';
import { words } from './texts';

const MINUTE_MS = 60_000;
/** What is further away than this is told by its time. */
const NEAR_MINUTES = 12 * 60;

export function whenText(reminder: Reminder, now = Date.now()): string {
  if (reminder.kind === 'task') return words.due(formatLongDay(reminder.day));
  if (reminder.day || reminder.starts_at === null) return formatLongDay(reminder.day);
  const minutes = Math.round((Date.parse(reminder.starts_at) - now) / MINUTE_MS);
  if (minutes === 0) return words.startsNow;
  if (minutes > 0 && minutes < NEAR_MINUTES) return words.startsIn(minutes);
  if (minutes < 0 && minutes > -60) return words.startedAgo(-minutes);
  return formatDateTime(reminder.starts_at);
}

export const titleText = (reminder: Reminder): string => reminder.title || words.untitled;

/** Where in the app it is shown. */
export function hrefOf({ kind, subject_id, recurrence_id, day, starts_at }: Reminder): string {
  if (kind === 'task') return taskHref(subject_id);
  const date =
    day || (starts_at ? dayOf(Date.parse(starts_at), session.me?.user.time_zone ?? browserTimeZone()) : '');
  const query = { date, event: subject_id, ...(recurrence_id ? { time: recurrence_id } : {}) };
  return `/calendar?${new URLSearchParams(query)}`;
}

/** What went wrong by other ways than the app, in a sentence each. */
export const problemsOf = (reminder: Reminder): string[] =>
  reminder.deliveries
    .filter(({ status }) => status in words.problem)
    .map(
      ({ channel, status, problem }) => `${words.channels[channel]}: ${words.problem[status]}. ${problem}`,
    );
