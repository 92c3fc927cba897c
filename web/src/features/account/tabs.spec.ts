import { expect, it } from 'vitest';
import { requestedTab, visibleTabs } from './tabs';

it('shows the workspace and its audit to admins and owners alone', () => {
  for (const role of ['owner', 'admin'] as const) expect(visibleTabs(role)).toContain('audit');
  for (const role of ['member', 'viewer'] as const) {
    expect(visibleTabs(role)).not.toContain('audit');
    expect(visibleTabs(role)).not.toContain('workspace');
    expect(visibleTabs(role)).toContain('tokens');
  }
});

it('opens the profile where an address means nothing or too much', () => {
  expect(requestedTab(undefined, 'owner')).toBe('profile');
  expect(requestedTab('nonsense', 'owner')).toBe('profile');
  expect(requestedTab('audit', 'viewer')).toBe('profile');
  expect(requestedTab('audit', 'admin')).toBe('audit');
});
