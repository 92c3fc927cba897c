import { expect, it } from 'vitest';
import { actorName, describeAction } from './audit';

const names = { usr_a: 'Ana', usr_b: 'Ben' };
const entry = (action: string, more = {}) => ({
  id: 'aud_1',
  at: '2026-03-10T12:00:00.000Z',
  actor_id: 'usr_a',
  action,
  subject_id: '',
  detail: {},
  ...more,
});

it('names who did it, and the server where nobody did', () => {
  expect(actorName(entry('signed_in'), names)).toBe('Ana');
  expect(actorName(entry('signed_in', { actor_id: 'usr_gone' }), names)).toBe('usr_gone');
  expect(actorName(entry('user_created', { actor_id: '' }), names)).toBe('The server');
});

it('tells what was done, and to whom', () => {
  const changed = entry('member_changed', {
    subject_id: 'usr_b',
    detail: { role: 'admin', status: 'active' },
  });
  expect(describeAction(changed, names)).toBe('changed the membership of Ben (admin, active)');
  const removed = entry('member_removed', { subject_id: 'usr_gone', detail: { role: 'viewer' } });
  expect(describeAction(removed, names)).toBe('removed usr_gone (viewer)');
  expect(describeAction(entry('password_changed', { subject_id: 'usr_a' }), names)).toBe(
    'changed their password',
  );
});

it('reads out details and actions it has never heard of', () => {
  const detail = { changed: ['monthly_limit_usd', 'name'] };
  expect(describeAction(entry('workspace_changed', { detail }), names)).toBe(
    'changed the workspace (monthly limit usd, name)',
  );
  expect(describeAction(entry('signed_out_everywhere', { detail: { tokens: true } }), names)).toBe(
    'signed out everywhere (with tokens)',
  );
  expect(describeAction(entry('moon_landed'), names)).toBe('moon landed');
});
