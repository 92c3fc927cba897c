import { expect, it } from 'vitest';
import { canManage, assignableRoles } from './roles';

it('lets owners manage everyone and admins only those below them', () => {
  expect(assignableRoles('owner')).toEqual(['owner', 'admin', 'member', 'viewer']);
  expect(assignableRoles('admin')).toEqual(['member', 'viewer']);
  expect(assignableRoles('member')).toEqual([]);
  expect(canManage('admin', 'admin')).toBe(false);
  expect(canManage('viewer', 'viewer')).toBe(false);
});
