// @vitest-environment jsdom
import { expect, it } from 'vitest';
import type { Task } from './requests';
import { TaskSelection } from './taskSelection.svelte';

const begin = (shown = ['a', 'b', 'c', 'd']) => {
  const tasks = shown.map((id) => ({ id }) as Task);
  return { tasks, selection: new TaskSelection(() => tasks) };
};

it('begins at the first task and goes on from there', () => {
  const { selection } = begin();
  const steps = [1, 1, -1].map((steps) => [selection.move(steps), selection.current?.id]);
  expect(steps).toEqual([
    [true, 'a'],
    [true, 'b'],
    [true, 'a'],
  ]);
  expect(selection.move(-1)).toBe(false);
});

it('is at what took the place of a task that is gone', () => {
  const { tasks, selection } = begin();
  selection.pick('d');
  tasks.splice(2, 2);
  expect(selection.current?.id).toBe('b');
});

it('means what is selected, else where the keyboard is', () => {
  const { selection } = begin();
  selection.pick('b');
  expect(selection.meant).toEqual(['b']);
  selection.toggle('c');
  selection.toggle('gone');
  expect(selection.meant).toEqual(['c']);
});

it('selects all from one to another', () => {
  const { selection } = begin();
  selection.pick('d');
  selection.extend('b');
  expect(selection.selected).toEqual(['b', 'c', 'd']);
  selection.selectAll(false);
  expect(selection.selected).toEqual([]);
});
