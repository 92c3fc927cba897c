/** Deleting with a moment to think again: hidden at once, deleted when the moment is over or the page is left. */
import type { SvelteSet } from 'svelte/reactivity';
import { toasts } from '$ui/toasts.svelte';
import { deleteFile, deleteFolder } from './requests';
import type { FileRow, FolderRow } from './rows';
import { words } from './texts';

/** As long as the note with "Undo" can be seen. */
const MOMENT = 10_000;

type Thing = FileRow | FolderRow;

export class Deletions {
  #waiting: Thing[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #projectId: string;
  readonly #hidden: SvelteSet<string>;
  readonly #ondone: () => unknown;

  constructor(projectId: string, hidden: SvelteSet<string>, ondone: () => unknown) {
    this.#projectId = projectId;
    this.#hidden = hidden;
    this.#ondone = ondone;
  }

  /** Hide things and delete them soon, unless the person takes them back. */
  async begin(things: readonly Thing[]): Promise<void> {
    if (!things.length) return;
    await this.flush();
    this.#waiting = [...things];
    for (const { key } of things) this.#hidden.add(key);
    this.#timer = setTimeout(() => void this.flush(), MOMENT);
    const text =
      things[0] && things.length === 1 ? words.deleted(things[0].name) : words.deletedMany(things.length);
    const begun = this.#waiting;
    toasts.say(text, { label: words.undo, act: () => this.#undo(begun) });
  }

  /** Delete now what still waits. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    const things = this.#waiting;
    if (!things.length) return;
    this.#waiting = [];
    await Promise.all(things.map((thing) => this.#send(thing)));
    await this.#ondone();
    for (const { key } of things) this.#hidden.delete(key);
  }

  #undo(things: Thing[]): void {
    // What is deleted already does not come back by being shown.
    if (this.#waiting !== things) return;
    clearTimeout(this.#timer);
    this.#waiting = [];
    for (const { key } of things) this.#hidden.delete(key);
  }

  async #send(thing: Thing): Promise<void> {
    try {
      if (thing.kind === 'file') await deleteFile(thing.file);
      else await deleteFolder(this.#projectId, thing.path);
    } catch (error) {
      if ((error as { status?: number }).status !== 404) toasts.problem(error);
    }
  }
}
