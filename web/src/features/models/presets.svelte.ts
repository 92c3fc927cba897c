/** The workspace's presets: tables of models under a name. */
import { api, need, type Schemas } from '$api/client';
import { Fetched } from '$ui/fetched.svelte';

export type Preset = Schemas['PresetView'];

class Presets extends Fetched<Preset[]> {
  constructor() {
    super(async () => (await need(api.GET('/api/presets'))).presets);
  }

  async add(body: Schemas['PresetBody']): Promise<void> {
    await need(api.POST('/api/presets', { body }));
    await this.load();
  }

  async remove(id: string): Promise<void> {
    await need(api.DELETE('/api/presets/{preset_id}', { params: { path: { preset_id: id } } }));
    await this.load();
  }
}

export const presets = new Presets();
