/** Who may manage whom: owners everyone, admins those below them. */
import type { Role } from './tabs';

export const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'viewer'];

export const canManage = (mine: Role, other: Role): boolean =>
  mine === 'owner' || (mine === 'admin' && (other === 'member' || other === 'viewer'));

/** The roles that somebody may give away. */
export const assignableRoles = (mine: Role): Role[] => ROLES.filter((role) => canManage(mine, role));
