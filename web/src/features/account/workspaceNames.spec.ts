import { describe, expect, it } from 'vitest';
import { listWorkspaceNames } from './workspaceNames';

const named = (name: string) => ({ id: `wsp_${name}`, name, role: 'owner' as const });

describe('workspaces in a sentence', () => {
  it('are nothing, one or several names', () => {
    expect(listWorkspaceNames([])).toBe('');
    expect(listWorkspaceNames([named('Home')])).toBe('Home');
    expect(listWorkspaceNames([named('Home'), named('Work')])).toBe('Home and Work');
  });
});
