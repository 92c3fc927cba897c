/** The connections one sees, and what trying each of them gave. */
import { api, unwrap, type Schemas } from '$api/client';
import { Resource } from '$ui/resource.svelte';
import { toasts } from '$ui/toasts.svelte';
import { catalogue } from './catalogue.svelte';

export type Connection = Schemas['ConnectionView'];
export type ConnectionTest = Schemas['TrialView'];

export class Connections extends Resource<Connection[]> {
  /** How trying a connection went, by id; null while it is under way. */
  tests = $state<Record<string, ConnectionTest | null>>({});

  constructor() {
    super(async () => (await unwrap(api.GET('/api/connections'))).connections);
  }

  /** Ask a connection for its models. */
  async test(id: string): Promise<void> {
    this.tests[id] = null;
    try {
      this.tests[id] = await unwrap(
        api.POST('/api/connections/{connection_id}/test', { params: { path: { connection_id: id } } }),
      );
    } catch (error) {
      this.tests[id] = { ok: false, models: [], code: '', message: (error as Error).message };
    }
  }

  /** Take up a connection that was added or changed, and try it at once. */
  async reloadAndTest(id: string): Promise<void> {
    await Promise.all([this.load(), this.test(id), this.#list()]);
  }

  async remove(id: string): Promise<void> {
    await unwrap(api.DELETE('/api/connections/{connection_id}', { params: { path: { connection_id: id } } }));
    await Promise.all([this.load(), this.#list()]);
  }

  #list(): Promise<void> {
    return catalogue.reload().catch((error: unknown) => toasts.showError(error));
  }
}
