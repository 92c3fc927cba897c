/** The workspace's presets: tables with a name. */
import { api, need, type Schemas } from '$api/client';

export type Preset = Schemas['PresetView'];

class Presets {
  list = $state.raw<readonly Preset[]>([]);
  loaded = $state(false);

  async load(): Promise<void> {
    this.list = (await need(api.GET('/api/presets'))).presets;
    this.loaded = true;
  }

  /** Keep models under a name. */
  async save(name: string, models: string[]): Promise<void> {
    await need(api.POST('/api/presets', { body: { name, models } }));
    await this.load();
  }

  async remove(id: string): Promise<void> {
    await need(api.DELETE('/api/presets/{preset_id}', { params: { path: { preset_id: id } } }));
    await this.load();
  }
}

export const presets = new Presets();
