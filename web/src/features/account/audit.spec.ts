import { expect, it } from 'vitest';
import { actorOf, deedOf } from './audit';

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
  expect(actorOf(entry('signed_in'), names)).toBe('Ana');
  expect(actorOf(entry('signed_in', { actor_id: 'usr_gone' }), names)).toBe('usr_gone');
  expect(actorOf(entry('user_created', { actor_id: '' }), names)).toBe('The server');
});

it('tells what was done, and to whom', () => {
  const changed = entry('member_changed', {
    subject_id: 'usr_b',
    detail: { role: 'admin', status: 'active' },
  });
  expect(deedOf(changed, names)).toBe('changed the membership of Ben (admin, active)');
  const removed = entry('member_removed', { subject_id: 'usr_gone', detail: { role: 'viewer' } });
  expect(deedOf(removed, names)).toBe('removed usr_gone (viewer)');
  expect(deedOf(entry('password_changed', { subject_id: 'usr_a' }), names)).toBe('changed their password');
});

it('reads out details and actions it has never heard of', () => {
  const detail = { changed: ['monthly_limit_usd', 'name'] };
  expect(deedOf(entry('workspace_changed', { detail }), names)).toBe(
    'changed the workspace (monthly limit usd, name)',
  );
  expect(deedOf(entry('signed_out_everywhere', { detail: { tokens: true } }), names)).toBe(
    'signed out everywhere (with tokens)',
  );
  expect(deedOf(entry('moon_landed'), names)).toBe('moon landed');
});
