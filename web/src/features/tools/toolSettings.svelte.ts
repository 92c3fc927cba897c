/** The tools of the workspace: all of them, those who offer them, and what the person has allowed. */
import { api, unwrap, type Schemas } from '$api/client';
import { Resource } from '$ui/resource.svelte';
import { toasts } from '$ui/toasts.svelte';

export type Tool = Schemas['ToolView'] & { id: string };
export type ToolServer = Schemas['ToolServerView'];
export type HttpTool = Schemas['HttpToolView'];
export type Grant = Schemas['GrantView'];
export type OfferedTool = Schemas['OfferedView'];

const ofServer = (id: string) => ({ params: { path: { server_id: id } } });
const ofService = (id: string) => ({ params: { path: { service_id: id } } });

/** Ask for a server to be changed. */
export const updateServer = (id: string, change: Partial<Schemas['ChangeToolServer']>) =>
  api.PUT('/api/tool-servers/{server_id}', {
    ...ofServer(id),
    body: change as Schemas['ChangeToolServer'],
  });

/** Ask for a service to be changed. */
export const updateService = (id: string, change: Partial<Schemas['ChangeHttpTool']>) =>
  api.PUT('/api/http-tools/{service_id}', { ...ofService(id), body: change as Schemas['ChangeHttpTool'] });

export class ToolSettings {
  readonly tools = new Resource<Tool[]>(async () => {
    const { tools } = await unwrap(api.GET('/api/tools'));
    return tools.map((tool) => ({ ...tool, id: tool.name }));
  });
  readonly servers = new Resource<ToolServer[]>(
    async () => (await unwrap(api.GET('/api/tool-servers'))).servers,
  );
  readonly services = new Resource<HttpTool[]>(
    async () => (await unwrap(api.GET('/api/http-tools'))).services,
  );
  readonly grants = new Resource<Grant[]>(async () => (await unwrap(api.GET('/api/tool-grants'))).grants);

  async load(): Promise<void> {
    await Promise.all(
      [this.tools, this.servers, this.services, this.grants].map((resource) => resource.load()),
    );
  }

  /** Fetch anew those of which one was added or changed, with the tools and what is still allowed. */
  async reload(those: Resource<ToolServer[]> | Resource<HttpTool[]>): Promise<void> {
    await Promise.all([those, this.tools, this.grants].map((resource) => resource.load()));
  }

  /** Switch a tool, or say what it counts as. */
  changeTool(tool: Tool, change: Partial<Pick<Tool, 'enabled' | 'effect'>>): Promise<boolean> {
    const { enabled, effect } = { ...tool, ...change };
    const path = { name: tool.name };
    return this.#do(
      api.PUT('/api/tools/{name}', { params: { path }, body: { enabled, effect } }),
      this.tools,
    );
  }

  revoke(grant: Grant): Promise<boolean> {
    const path = { grant_id: grant.id };
    return this.#do(api.DELETE('/api/tool-grants/{grant_id}', { params: { path } }), this.grants);
  }

  /** Connect to a server and list its tools; what is wrong is said on its row. */
  async check(id: string): Promise<void> {
    await this.#do(api.POST('/api/tool-servers/{server_id}/check', ofServer(id)), this.servers, this.tools);
  }

  changeServer(id: string, change: Partial<Schemas['ChangeToolServer']>): Promise<boolean> {
    return this.#do(updateServer(id, change), this.servers, this.tools);
  }

  removeServer(id: string): Promise<boolean> {
    return this.#do(api.DELETE('/api/tool-servers/{server_id}', ofServer(id)), this.servers, this.tools);
  }

  changeService(id: string, change: Partial<Schemas['ChangeHttpTool']>): Promise<boolean> {
    return this.#do(updateService(id, change), this.services, this.tools);
  }

  removeService(id: string): Promise<boolean> {
    return this.#do(api.DELETE('/api/http-tools/{service_id}', ofService(id)), this.services, this.tools);
  }

  /** Have something done, and fetch anew what it touches, also when it was refused. */
  async #do(
    request: Parameters<typeof unwrap>[0],
    ...touched: { load(): Promise<void> }[]
  ): Promise<boolean> {
    try {
      await unwrap(request);
      return true;
    } catch (error) {
      toasts.showError(error);
      return false;
    } finally {
      await Promise.all(touched.map((resource) => resource.load()));
    }
  }
}
