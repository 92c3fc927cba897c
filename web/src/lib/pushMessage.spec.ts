import { expect, it } from 'vitest';
import { readPushMessage, safePath } from './pushMessage';

it('reads what the server sends', () => {
  const told = { title: 'Water the plants', text: 'Due today', path: '/tasks/tsk_1', tag: 'rem_1' };
  expect(readPushMessage(JSON.stringify(told))).toEqual(told);
});

it.each([undefined, '', 'nonsense', '3', '[]', '{"title": 3}', 'null'])('shows something for %s', (data) => {
  expect(readPushMessage(data)).toEqual({ title: 'Tertulia', text: '', path: '/', tag: 'tertulia' });
});

it.each([
  '//elsewhere.example',
  '/\\elsewhere.example',
  'https://elsewhere.example',
  'javascript:1',
  '',
  '/a b',
])('never leads elsewhere: %s', (path) => {
  expect(safePath(path)).toBe('/');
});

it('leads to pages of the app', () => {
  expect(safePath('/calendar?day=2027-03-01#x')).toBe('/calendar?day=2027-03-01#x');
});
