/** What the feed tells of memories: how many proposals wait, and that there is something to fetch. */
import type { Schemas } from '$api/client';
import { live } from '$live/connection.svelte';
import { listMemories } from './requests';

/** Changes that come within this time are fetched together. */
const CHANGE_DELAY_MS = 100;

class MemoryFeed {
  waiting = $state(0);
  #listeners: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    const ends = [
      live.subscribe((event) => {
        if (event.type === 'memories.changed') this.#hear(event);
      }),
      live.onBegin(() => void this.load()),
      () => this.#stop(),
    ];
    return () => ends.forEach((end) => end());
  }

  /** Fetch how many proposals wait; where that fails, the next event says it. */
  async load(): Promise<void> {
    const page = await listMemories({ limit: 1 }).catch(() => null);
    if (page) this.waiting = page.waiting;
    this.noteChange();
  }

  /** Call a function soon after something changed, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.push(listener);
    return () => (this.#listeners = this.#listeners.filter((other) => other !== listener));
  }

  noteChange(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const listener of this.#listeners) listener();
    }, CHANGE_DELAY_MS);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** None waits anew where a project's memories changed. */
  #hear({ waiting }: Schemas['MemoriesChanged']): void {
    this.waiting = waiting ?? this.waiting;
    this.noteChange();
  }
}

export const memoryFeed = new MemoryFeed();
