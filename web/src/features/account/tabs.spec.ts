import { expect, it } from 'vitest';
import { tabOf, tabsFor } from './tabs';

it('shows the workspace and its audit to admins and owners alone', () => {
  for (const role of ['owner', 'admin'] as const) expect(tabsFor(role)).toContain('audit');
  for (const role of ['member', 'viewer'] as const) {
    expect(tabsFor(role)).not.toContain('audit');
    expect(tabsFor(role)).not.toContain('workspace');
    expect(tabsFor(role)).toContain('tokens');
  }
});

it('opens the profile where an address means nothing or too much', () => {
  expect(tabOf(undefined, 'owner')).toBe('profile');
  expect(tabOf('nonsense', 'owner')).toBe('profile');
  expect(tabOf('audit', 'viewer')).toBe('profile');
  expect(tabOf('audit', 'admin')).toBe('audit');
});
