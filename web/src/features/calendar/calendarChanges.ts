/** That there is something to fetch: the feed said so, or something was done here. */
import { live } from '$live/connection.svelte';

/** Changes that come within this time are fetched together. */
const CHANGE_DELAY_MS = 80;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Call a function soon after events, calendars or tasks changed, until the returned function is called. */
export function followCalendarChanges(listener: () => void): () => void {
  listeners.add(listener);
  const ends = [
    live.subscribe(({ type }) => {
      if (type === 'tasks.changed' || type === 'calendars.changed') noteCalendarChange();
    }),
    live.onBegin(listener),
    () => listeners.delete(listener),
  ];
  return () => ends.forEach((end) => end());
}

export function noteCalendarChange(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    for (const listener of listeners) listener();
  }, CHANGE_DELAY_MS);
}
