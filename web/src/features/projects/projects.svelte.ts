/** The workspace's projects. */
import { api, need, type Project, type Schemas } from '$api/client';

class Projects {
  list = $state.raw<readonly Project[]>([]);
  loaded = $state(false);
  problem = $state<string | null>(null);
  /** Those that are worked on, the default one last: what is in it needs no project. */
  active = $derived<readonly Project[]>(
    this.list
      .filter((one) => one.status === 'active')
      .sort((a, b) => Number(a.is_default) - Number(b.is_default)),
  );

  /** Fetch them all. */
  async load(): Promise<void> {
    try {
      const found: Project[] = [];
      let after: string | null = '';
      while (after !== null) {
        const query: { limit: number; after: string } = { limit: 200, after };
        const page: Schemas['ProjectPage'] = await need(api.GET('/api/projects', { params: { query } }));
        found.push(...page.projects);
        after = page.next ?? null;
      }
      this.list = found;
      this.loaded = true;
      this.problem = null;
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  /** Fetch one as it is now. */
  async get(id: string): Promise<Project> {
    return this.#keep(await need(api.GET('/api/projects/{project_id}', at(id))));
  }

  async create(name: string): Promise<Project> {
    // Everything else has a default that the generated type does not know to be optional.
    const body = { name } as Schemas['NewProject'];
    return this.#keep(await need(api.POST('/api/projects', { body })));
  }

  async change(id: string, values: Partial<Schemas['ProjectChange']>): Promise<Project> {
    const body = values as Schemas['ProjectChange'];
    return this.#keep(await need(api.PUT('/api/projects/{project_id}', { ...at(id), body })));
  }

  async remove(id: string): Promise<void> {
    await need(api.DELETE('/api/projects/{project_id}', at(id)));
    this.list = this.list.filter((one) => one.id !== id);
  }

  #keep(project: Project): Project {
    const known = this.list.some((one) => one.id === project.id);
    this.list = known
      ? this.list.map((one) => (one.id === project.id ? project : one))
      : [project, ...this.list];
    return project;
  }
}

const at = (id: string) => ({ params: { path: { project_id: id } } });

export const projects = new Projects();
