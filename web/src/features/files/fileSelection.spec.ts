import { describe, expect, it } from 'vitest';
import { archiveNames, filesFromDrop, filesFromList, uploadBatches, isSystemFile } from './fileSelection';

const file = (name: string, size = 1) => new File(['x'.repeat(size)], name);
const leaf = (name: string) => ({
  name,
  isFile: true,
  file: (give: (file: File) => void) => give(file(name)),
});
const broken = (name: string) => ({ name, isFile: true, file: (_: unknown, fail: () => void) => fail() });
const folder = (name: string, children: unknown[]) => ({
  name,
  isFile: false,
  createReader: () => {
    const portions = [children.slice(0, 1), children.slice(1), []];
    return { readEntries: (give: (some: unknown) => void) => give(portions.shift()) };
  },
});
const drop = (entries: unknown[]) =>
  ({
    items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
    files: [],
  }) as unknown as DataTransfer;

describe('what is dropped', () => {
  it('is walked through, folder by folder', async () => {
    const haul = await filesFromDrop(
      drop([folder('docs', [leaf('a.md'), folder('in', [leaf('b.md')])]), leaf('c.md')]),
    );
    expect(haul.files.map(({ path }) => path)).toEqual(['docs/a.md', 'docs/in/b.md', 'c.md']);
  });

  it('leaves out what cannot be read and what the system made, and says so', async () => {
    const haul = await filesFromDrop(
      drop([folder('docs', [broken('a.md'), leaf('.DS_Store'), leaf('b.md')])]),
    );
    expect(haul.files.map(({ path }) => path)).toEqual(['docs/b.md']);
    expect(haul.leftOut).toEqual([
      { path: 'docs/.DS_Store', ours: true },
      { path: 'docs/a.md', ours: false },
    ]);
  });
});

it('knows the files of systems', () => {
  expect(isSystemFile('a/Thumbs.db')).toBe(true);
  expect(isSystemFile('__MACOSX/a.md')).toBe(true);
  expect(isSystemFile('.gitignore')).toBe(false);
});

it('finds archives', () => {
  expect(archiveNames(filesFromList([file('a.ZIP'), file('b.md')]))).toEqual(['a.ZIP']);
});

describe('forms', () => {
  const given = (sizes: number[]) => filesFromList(sizes.map((size, place) => file(`${place}`, size))).files;

  it('hold so many files at most', () => {
    expect(uploadBatches(given(Array(120).fill(1)), 50).map((form) => form.length)).toEqual([50, 50, 20]);
  });

  it('hold so many bytes at most, but every file', () => {
    expect(uploadBatches(given([5, 6, 20, 1]), 50, 10).map((form) => form.length)).toEqual([1, 1, 1, 1]);
    expect(uploadBatches(given([4, 6, 20]), 50, 10).map((form) => form.length)).toEqual([2, 1]);
    expect(uploadBatches([])).toEqual([]);
  });
});
