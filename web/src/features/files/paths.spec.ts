import { describe, expect, it } from 'vitest';
import { ancestors, folderOf, isWithin, joinPath, pathAfterMove, nameOf, trimPath } from './paths';

it('takes a path apart and puts it together', () => {
  expect(nameOf('docs/notes/ideas.md')).toBe('ideas.md');
  expect(folderOf('docs/notes/ideas.md')).toBe('docs/notes');
  expect(folderOf('ideas.md')).toBe('');
  expect(joinPath('', 'ideas.md')).toBe('ideas.md');
  expect(joinPath('docs', 'ideas.md')).toBe('docs/ideas.md');
  expect(ancestors('a/b/c.md')).toEqual(['a', 'a/b']);
  expect(ancestors('c.md')).toEqual([]);
});

it('knows what lies in a folder, and not what only begins like it', () => {
  expect(isWithin('docs/a.md', 'docs')).toBe(true);
  expect(isWithin('docs', 'docs')).toBe(true);
  expect(isWithin('docs2/a.md', 'docs')).toBe(false);
  expect(isWithin('a.md', '')).toBe(true);
});

describe('moving', () => {
  it('keeps the name', () => {
    expect(pathAfterMove('docs/a.md', 'old')).toBe('old/a.md');
    expect(pathAfterMove('docs/a.md', '')).toBe('a.md');
  });

  it('goes nowhere where it is already, nor into itself', () => {
    expect(pathAfterMove('docs/a.md', 'docs')).toBeNull();
    expect(pathAfterMove('docs', 'docs/inner')).toBeNull();
    expect(pathAfterMove('docs', 'docs')).toBeNull();
  });
});

it('tidies what is typed', () => {
  expect(trimPath(' /docs/a.md/ ')).toBe('docs/a.md');
  expect(trimPath(' / ')).toBe('');
});
