import { describe, expect, it } from 'vitest';
import { listOf } from './deletion';

const named = (name: string) => ({ id: `wsp_${name}`, name, role: 'owner' as const });

describe('workspaces in a sentence', () => {
  it('are nothing, one or several names', () => {
    expect(listOf([])).toBe('');
    expect(listOf([named('Home')])).toBe('Home');
    expect(listOf([named('Home'), named('Work')])).toBe('Home and Work');
  });
});
