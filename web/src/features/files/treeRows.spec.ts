import { describe, expect, it } from 'vitest';
import type { FileView } from './requests';
import { rowsBetween, folderOfRow, parentIndex, rowsOf, type FolderContents } from './treeRows';

const file = (path: string) => ({ id: path, path }) as FileView;
const contents = (folders: string[], files: string[], next: string | null = null): FolderContents => ({
  folders: folders.map((path) => ({ path, files: 1, size: 1 })),
  files: files.map(file),
  next,
  problem: '',
});
const contentsByFolder = new Map([
  ['', contents(['docs', 'src'], ['a.md'])],
  ['docs', contents([], ['docs/b.md', 'docs/c.md'], 'docs/c.md')],
]);
const seen = (open: string[]) => rowsOf(contentsByFolder, new Set(open));
const keys = (open: string[]) => seen(open).map((row) => row.key);

describe('the tree', () => {
  it('shows closed folders as one line, before files', () => {
    expect(keys([])).toEqual(['folder docs', 'folder src', 'file a.md']);
  });

  it('shows what is in open folders below them, and that there is more', () => {
    expect(keys(['docs'])).toEqual([
      'folder docs',
      'file docs/b.md',
      'file docs/c.md',
      'more docs',
      'folder src',
      'file a.md',
    ]);
    expect(seen(['docs']).map((row) => row.depth)).toEqual([1, 2, 2, 2, 1, 1]);
  });

  it('waits for folders that are not fetched', () => {
    expect(keys(['src'])).toEqual(['folder docs', 'folder src', 'wait src', 'file a.md']);
  });

  it('shows a file once that is seen in its old folder and in its new one', () => {
    const moved = { ...file('b.md'), path: 'docs/b.md' };
    const both = new Map([
      ['', { ...contents(['docs'], []), files: [file('b.md')] }],
      ['docs', { ...contents([], []), files: [moved] }],
    ]);
    expect(rowsOf(both, new Set(['docs'])).map((row) => row.path)).toEqual(['docs', 'docs/b.md']);
  });
});

it('knows parents and the folder one is in', () => {
  const rows = seen(['docs']);
  expect(parentIndex(rows, 2)).toBe(0);
  expect(parentIndex(rows, 4)).toBe(-1);
  expect(rows.map(folderOfRow)).toEqual(['docs', 'docs', 'docs', 'docs', 'src', '']);
  expect(folderOfRow(undefined)).toBe('');
});

it('takes what lies between two rows in either direction', () => {
  const rows = seen(['docs']);
  const names = (from: string, to: string) => rowsBetween(rows, from, to).map((row) => row.key);
  expect(names('file docs/b.md', 'folder docs')).toEqual(['folder docs', 'file docs/b.md']);
  expect(names('gone', 'folder src')).toEqual(['folder src']);
});
