/** The workspace's presets: tables of models under a name. */
import { api, unwrap, type Schemas } from '$api/client';
import { Resource } from '$ui/resource.svelte';

export type Preset = Schemas['PresetView'];

class Presets extends Resource<Preset[]> {
  constructor() {
    super(async () => (await unwrap(api.GET('/api/presets'))).presets);
  }

  async add(body: Schemas['PresetBody']): Promise<void> {
    await unwrap(api.POST('/api/presets', { body }));
    await this.load();
  }

  async remove(id: string): Promise<void> {
    await unwrap(api.DELETE('/api/presets/{preset_id}', { params: { path: { preset_id: id } } }));
    await this.load();
  }
}

export const presets = new Presets();
