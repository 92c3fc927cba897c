/** Which pages of the settings somebody may see. */
import type { Schemas } from '$api/client';

export type Role = Schemas['Role'];
export const TABS = [
  'profile',
  'appearance',
  'sessions',
  'tokens',
  'members',
  'workspace',
  'retrieval',
  'tools',
  'audit',
  'shortcuts',
] as const;
export type Tab = (typeof TABS)[number];

const ADMINS_ONLY: readonly Tab[] = ['workspace', 'audit'];

export function tabsFor(role: Role): Tab[] {
  return TABS.filter((tab) => role === 'owner' || role === 'admin' || !ADMINS_ONLY.includes(tab));
}

/** The page an address asks for, or the first where it may not be seen. */
export function tabOf(asked: string | undefined, role: Role): Tab {
  return tabsFor(role).find((tab) => tab === asked) ?? 'profile';
}
