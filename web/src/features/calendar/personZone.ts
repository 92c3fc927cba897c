/** The time zone that a person reads times in. */
import { session } from '$features/session/session.svelte';
import { browserTimeZone } from '$features/session/timeZones';

export const personZone = (): string => session.me?.user.time_zone ?? browserTimeZone();
