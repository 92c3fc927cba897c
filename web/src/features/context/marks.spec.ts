import { expect, it } from 'vitest';
import { knownMarks, toggleMark } from './marks';

it('shows marks in a steady order, and none that it does not know', () => {
  expect(knownMarks(['local_only', 'pinned'])).toEqual(['pinned', 'local_only']);
  expect(knownMarks(['starred'])).toEqual([]);
  expect(knownMarks(undefined)).toEqual([]);
});

it('says only what changes', () => {
  expect(toggleMark(['pinned'], 'pinned')).toEqual({ pinned: false });
  expect(toggleMark(['pinned'], 'excluded')).toEqual({ excluded: true });
  expect(toggleMark(undefined, 'local_only')).toEqual({ local_only: true });
});
