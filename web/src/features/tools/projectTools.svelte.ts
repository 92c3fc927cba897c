/** The tools that were written for a project, the sandbox they run in, and how trying them went. */
import { api, unwrap, type Schemas } from '$api/client';
import { Resource } from '$ui/resource.svelte';
import { toasts } from '$ui/toasts.svelte';

export type ProjectTool = Schemas['PythonToolView'] & { id: string };
export type ToolTestResult = Awaited<ReturnType<typeof testTool>>;

/** How long between two looks at a sandbox that is getting ready. */
const SANDBOX_POLL_MS = 2000;

const testTool = (project_id: string, name: string) =>
  unwrap(
    api.POST('/api/projects/{project_id}/tools/{name}/test', {
      params: { path: { project_id, name } },
      body: {},
    }),
  );

export class ProjectTools extends Resource<ProjectTool[]> {
  /** How trying a tool went, by its name; null while it is under way. */
  testResults = $state<Record<string, ToolTestResult | null | undefined>>({});
  sandbox = $state.raw<Schemas['SandboxView'] | null>(null);
  readonly projectId: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(projectId: string) {
    super(async () => {
      const path = { project_id: projectId };
      const { tools } = await unwrap(api.GET('/api/projects/{project_id}/tools', { params: { path } }));
      return tools.map((tool) => ({ ...tool, id: tool.file_id }));
    });
    this.projectId = projectId;
  }

  /** Fetch all of it; the returned function ends looking. */
  open(): () => void {
    void this.load();
    void this.#look();
    return () => {
      this.#closed = true;
      clearTimeout(this.#timer);
    };
  }

  /** Run the examples in a tool's docstrings. */
  async test(name: string): Promise<void> {
    this.testResults[name] = null;
    try {
      this.testResults[name] = await testTool(this.projectId, name);
    } catch (error) {
      this.testResults[name] = undefined;
      toasts.showError(error);
    }
  }

  async #look(): Promise<void> {
    this.sandbox = await unwrap(api.GET('/api/sandbox')).catch(() => this.sandbox);
    if (this.sandbox?.state === 'preparing' && !this.#closed)
      this.#timer = setTimeout(() => void this.#look(), SANDBOX_POLL_MS);
  }
}
