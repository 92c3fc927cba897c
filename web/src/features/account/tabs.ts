/** Which pages of the settings somebody may see. */
import type { Schemas } from '$api/client';

export type Role = Schemas['Role'];
export const SETTINGS_TABS = [
  'profile',
  'appearance',
  'reminders',
  'sessions',
  'tokens',
  'members',
  'workspace',
  'retrieval',
  'calendars',
  'tools',
  'audit',
  'shortcuts',
] as const;
export type SettingsTab = (typeof SETTINGS_TABS)[number];

const ADMINS_ONLY: readonly SettingsTab[] = ['workspace', 'audit'];

export function visibleTabs(role: Role): SettingsTab[] {
  return SETTINGS_TABS.filter((tab) => role === 'owner' || role === 'admin' || !ADMINS_ONLY.includes(tab));
}

/** The page an address asks for, or the first where it may not be seen. */
export function requestedTab(asked: string | undefined, role: Role): SettingsTab {
  return visibleTabs(role).find((tab) => tab === asked) ?? 'profile';
}
