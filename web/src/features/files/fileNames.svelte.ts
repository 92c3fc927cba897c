/** The paths of a project's files, for those who name one while they write. */
import { SvelteMap } from 'svelte/reactivity';
import { listAll } from './requests';

/** More could neither be read through nor fetched quickly. */
const FILE_NAMES_MAX = 10_000;
/** How long a list is good before it is fetched again. */
const FILE_NAMES_TTL_MS = 30_000;

class FileNames {
  readonly #lists = new SvelteMap<string, readonly string[]>();
  readonly #asked = new Map<string, number>();

  /** The paths as far as they are known; the first question fetches them. */
  of(projectId: string): readonly string[] {
    return this.#lists.get(projectId) ?? [];
  }

  /** Fetch the paths, unless they were just fetched. */
  async ensureLoaded(projectId: string, now = Date.now()): Promise<void> {
    if (now - (this.#asked.get(projectId) ?? -Infinity) < FILE_NAMES_TTL_MS) return;
    this.#asked.set(projectId, now);
    try {
      await this.#fetch(projectId);
    } catch {
      // Naming a file by hand works as well; the next sign asks again.
      this.#asked.delete(projectId);
    }
  }

  async #fetch(projectId: string): Promise<void> {
    const found: string[] = [];
    let after: string | null = '';
    while (after !== null && found.length < FILE_NAMES_MAX) {
      const page: Awaited<ReturnType<typeof listAll>> = await listAll(projectId, '', after);
      found.push(...page.files.map((file) => file.path));
      after = page.next ?? null;
      this.#lists.set(projectId, [...found]);
    }
  }
}

export const fileNames = new FileNames();
