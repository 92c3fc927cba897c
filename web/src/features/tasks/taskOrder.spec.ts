import { expect, it } from 'vitest';
import { dropAfter, indexAtHeight, placeAfter, stepAfter } from './taskOrder';

const items = ['a', 'b', 'c'].map((id) => ({ id }));
const ids = (list: { id: string }[]) => list.map(({ id }) => id).join('');

it('puts something after another, first, or last', () => {
  expect(ids(placeAfter(items, { id: 'a' }, 'b'))).toBe('bac');
  expect(ids(placeAfter(items, { id: 'c' }, null))).toBe('cab');
  expect(ids(placeAfter(items, { id: 'x' }, 'a'))).toBe('axbc');
  expect(ids(placeAfter(items, { id: 'x' }, 'gone'))).toBe('abcx');
});

it('finds what something comes after where it is dropped', () => {
  expect([0, 1, 2, 3].map((index) => dropAfter(items, index, 'x'))).toEqual([null, 'a', 'b', 'c']);
  expect([0, 1, 2, 3].map((index) => dropAfter(items, index, 'b'))).toEqual([null, 'a', 'a', 'c']);
});

it('goes a place on or back, until there is none', () => {
  expect(stepAfter(items, 'a', 1)).toBe('b');
  expect(stepAfter(items, 'b', -1)).toBe(null);
  expect(stepAfter(items, 'c', -1)).toBe('a');
  expect(stepAfter(items, 'c', 1)).toBe(undefined);
  expect(stepAfter(items, 'a', -1)).toBe(undefined);
});

it('finds the row that a pointer is before', () => {
  expect([5, 15, 99].map((y) => indexAtHeight([10, 20], y))).toEqual([0, 1, 2]);
});
