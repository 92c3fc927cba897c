/** Who looks at tasks, where they are, and which day it is there. */
import { session } from '$features/session/session.svelte';
import { browserTimeZone } from '$features/session/timeZones';
import { todayIn } from '$lib/days';

export const viewerZone = (): string => session.me?.user.time_zone ?? browserTimeZone();

export const viewerToday = (): string => todayIn(viewerZone());

export const viewer = (): { today: string; userId: string } => ({
  today: viewerToday(),
  userId: session.me?.user.id ?? '',
});
