/** The connections one sees, and what trying each of them gave. */
import { api, need, type Schemas } from '$api/client';
import { Fetched } from '$ui/fetched.svelte';
import { toasts } from '$ui/toasts.svelte';
import { catalogue } from './catalogue.svelte';

export type Connection = Schemas['ConnectionView'];
export type Trial = Schemas['TrialView'];

export class Connections extends Fetched<Connection[]> {
  /** How trying a connection went, by id; null while it is under way. */
  trials = $state<Record<string, Trial | null>>({});

  constructor() {
    super(async () => (await need(api.GET('/api/connections'))).connections);
  }

  /** Ask a connection for its models. */
  async test(id: string): Promise<void> {
    this.trials[id] = null;
    try {
      this.trials[id] = await need(
        api.POST('/api/connections/{connection_id}/test', { params: { path: { connection_id: id } } }),
      );
    } catch (error) {
      this.trials[id] = { ok: false, models: [], code: '', message: (error as Error).message };
    }
  }

  /** Take up a connection that was added or changed, and try it at once. */
  async changed(id: string): Promise<void> {
    await Promise.all([this.load(), this.test(id), this.#list()]);
  }

  async remove(id: string): Promise<void> {
    await need(api.DELETE('/api/connections/{connection_id}', { params: { path: { connection_id: id } } }));
    await Promise.all([this.load(), this.#list()]);
  }

  #list(): Promise<void> {
    return catalogue.reload().catch((error: unknown) => toasts.problem(error));
  }
}
