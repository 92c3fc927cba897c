/** What the feed tells of tasks and phases: that there is something to fetch. */
import { live } from '$live/connection.svelte';

/** Changes that come within this time are fetched together. */
const CHANGE_DELAY_MS = 100;

/** Call a function soon after tasks changed anywhere, until the returned function is called. */
export function followTasks(listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const note = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      listener();
    }, CHANGE_DELAY_MS);
  };
  const ends = [
    live.subscribe((event) => {
      if (event.type === 'tasks.changed' || event.type === 'reset') note();
    }),
    // Whoever listens has fetched by itself at first, and heard nothing of what changed until now.
    live.onBegin(note),
    () => clearTimeout(timer),
  ];
  return () => ends.forEach((end) => end());
}
