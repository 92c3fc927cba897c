/** The models there are, fetched once and again when asked. */
import { api, unwrap, type Schemas } from '$api/client';
import { findModel } from './modelReference';
import { writeOfflineCache, readOfflineCache } from '$features/session/offlineCache';

export type Model = Schemas['ModelView'];

class Catalogue {
  models = $state.raw<readonly Model[]>([]);
  problems = $state.raw<Schemas['ModelsView']['problems']>([]);
  loaded = $state(false);
  #loading: Promise<void> | null = null;

  /** Fetch the list unless it is here or on its way. */
  load(): Promise<void> {
    if (this.loaded) return Promise.resolve();
    this.#loading ??= this.#fetch().finally(() => (this.#loading = null));
    return this.#loading;
  }

  /** Fetch the list again: connections have changed. */
  reload(): Promise<void> {
    return this.#fetch();
  }

  /** Fetch the list again, for others may have connected something; one that is here stays if that fails. */
  async revalidate(): Promise<void> {
    this.#loading ??= this.#fetch().finally(() => (this.#loading = null));
    await this.#loading.catch(() => undefined);
  }

  /** Have every provider asked anew. */
  async refresh(): Promise<void> {
    await unwrap(api.POST('/api/models/metadata/refresh'));
    await this.#fetch();
  }

  /** Whether it is known what there is, if only from the last time. */
  get isKnown(): boolean {
    return this.loaded || this.models.length > 0;
  }

  find(reference: string): Model | undefined {
    return findModel(this.models, reference);
  }

  async #fetch(): Promise<void> {
    // Until the server answers, and when it does not: what is drawn with these will hardly move.
    if (!this.loaded && !this.models.length) this.models = lastSeen();
    const list = await unwrap(api.GET('/api/models'));
    this.models = list.models;
    this.problems = list.problems;
    this.loaded = true;
    writeOfflineCache('models', list.models);
  }
}

/** The models that there were when the server could last be reached. */
function lastSeen(): readonly Model[] {
  const last = readOfflineCache('models');
  return Array.isArray(last) ? (last as Model[]) : [];
}

export const catalogue = new Catalogue();
