import { expect, it } from 'vitest';
import { manages, rolesToGive } from './roles';

it('lets owners manage everyone and admins only those below them', () => {
  expect(rolesToGive('owner')).toEqual(['owner', 'admin', 'member', 'viewer']);
  expect(rolesToGive('admin')).toEqual(['member', 'viewer']);
  expect(rolesToGive('member')).toEqual([]);
  expect(manages('admin', 'admin')).toBe(false);
  expect(manages('viewer', 'viewer')).toBe(false);
});
