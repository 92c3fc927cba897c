/** What a form changed of a workspace. */
import type { Schemas } from '$api/client';

type Settings = Schemas['SettingsView'];

/** Only the settings that differ: the audit names each one that is sent. */
export function changedSettings(before: Settings, after: Settings): Schemas['SettingsChange'] {
  const names = Object.keys(after) as (keyof Settings)[];
  const differ = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  // The description of the API says that fields with a default are always there; a PATCH leaves them out.
  return Object.fromEntries(differ.map((name) => [name, after[name]])) as Schemas['SettingsChange'];
}
