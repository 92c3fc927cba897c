import { expect, it } from 'vitest';
import { marksIn, toggled } from './marks';

it('shows marks in a steady order, and none that it does not know', () => {
  expect(marksIn(['local_only', 'pinned'])).toEqual(['pinned', 'local_only']);
  expect(marksIn(['starred'])).toEqual([]);
  expect(marksIn(undefined)).toEqual([]);
});

it('says only what changes', () => {
  expect(toggled(['pinned'], 'pinned')).toEqual({ pinned: false });
  expect(toggled(['pinned'], 'excluded')).toEqual({ excluded: true });
  expect(toggled(undefined, 'local_only')).toEqual({ local_only: true });
});
