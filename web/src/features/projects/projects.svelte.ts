/** The workspace's projects, kept up to date by the feed. */
import { api, unwrap, ApiError, type ConversationEvent, type Project, type Schemas } from '$api/client';
import { live } from '$live/connection.svelte';

const RETRY_BACKOFF_MIN_MS = 1_000;
const RETRY_BACKOFF_MAX_MS = 30_000;

class Projects {
  list = $state.raw<readonly Project[]>([]);
  loaded = $state(false);
  problem = $state<string | null>(null);
  /** Those that are worked on, the default one last: what is in it needs no project. */
  active = $derived<readonly Project[]>(
    this.list
      .filter((listed) => listed.status === 'active')
      .sort((a, b) => Number(a.is_default) - Number(b.is_default)),
  );

  #again: ReturnType<typeof setTimeout> | undefined;
  /** Which request is the latest: an answer to an earlier one is dropped. */
  #asked = 0;
  /** What was heard of projects since then, null where they are gone: the answer may be older than that. */
  #heardSince = new Map<string, Project | null>();

  /** Fetch them and follow the feed until the returned function is called. */
  open(): () => void {
    const ends = [
      live.subscribe((event) => this.#hear(event)),
      live.onBegin(() => void this.load()),
      () => clearTimeout(this.#again),
    ];
    return () => ends.forEach((end) => end());
  }

  /** Fetch them all; where that fails only for the moment, again after a pause that grows. */
  async load(pause = RETRY_BACKOFF_MIN_MS): Promise<void> {
    clearTimeout(this.#again);
    const asked = ++this.#asked;
    this.#heardSince.clear();
    try {
      const found: Project[] = [];
      let after: string | null = '';
      while (after !== null) {
        const query: { limit: number; after: string } = { limit: 200, after };
        const page: Schemas['ProjectPage'] = await unwrap(api.GET('/api/projects', { params: { query } }));
        found.push(...page.projects);
        after = page.next ?? null;
      }
      if (asked !== this.#asked) return;
      this.list = this.#withHeard(found);
      this.loaded = true;
      this.problem = null;
    } catch (error) {
      if (asked !== this.#asked) return;
      this.problem = (error as Error).message;
      if (!(error instanceof ApiError && error.isTransient)) return;
      this.#again = setTimeout(() => void this.load(Math.min(RETRY_BACKOFF_MAX_MS, pause * 2)), pause);
    }
  }

  /** Fetch one as it is now. */
  async get(id: string): Promise<Project> {
    return this.#keep(await unwrap(api.GET('/api/projects/{project_id}', at(id))));
  }

  async create(name: string): Promise<Project> {
    // Everything else has a default that the generated type does not know to be optional.
    const body = { name } as Schemas['NewProject'];
    return this.#keep(await unwrap(api.POST('/api/projects', { body })));
  }

  async change(id: string, values: Partial<Schemas['ProjectChange']>): Promise<Project> {
    const body = values as Schemas['ProjectChange'];
    return this.#keep(await unwrap(api.PUT('/api/projects/{project_id}', { ...at(id), body })));
  }

  async remove(id: string): Promise<void> {
    await unwrap(api.DELETE('/api/projects/{project_id}', at(id)));
    this.#drop(id);
  }

  #hear(event: ConversationEvent): void {
    if (event.type === 'project.deleted') this.#drop(event.project_id);
    // Where it cannot be had just now, or is gone again, the whole list says so.
    else if (event.type === 'project.changed') this.get(event.project_id).catch(() => this.load());
  }

  #drop(id: string): void {
    this.#heardSince.set(id, null);
    this.list = this.list.filter((listed) => listed.id !== id);
  }

  #keep(project: Project): Project {
    this.#heardSince.set(project.id, project);
    this.list = putProject(this.list, project);
    return project;
  }

  /** Return a list with all that was heard since it was asked for. */
  #withHeard(listed: readonly Project[]): readonly Project[] {
    const there = listed.filter(({ id }) => this.#heardSince.get(id) !== null);
    return [...this.#heardSince.values()].reduce(
      (list, project) => (project ? putProject(list, project) : list),
      there as readonly Project[],
    );
  }
}

/** Put a project where it stands, or first where it is new. */
function putProject(list: readonly Project[], project: Project): readonly Project[] {
  const isKnown = list.some((listed) => listed.id === project.id);
  return isKnown ? list.map((listed) => (listed.id === project.id ? project : listed)) : [project, ...list];
}

const at = (id: string) => ({ params: { path: { project_id: id } } });

export const projects = new Projects();
