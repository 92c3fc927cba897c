import { expect, it } from 'vitest';
import { isEditable, isShown, languageFor, sizeOf } from './look';

it('writes sizes as people read them', () => {
  expect(sizeOf(0)).toBe('0 bytes');
  expect(sizeOf(999)).toBe('999 bytes');
  expect(sizeOf(1200)).toBe('1.2 kB');
  expect(sizeOf(345_678_901)).toBe('346 MB');
  expect(sizeOf(5e12)).toBe('5,000 GB');
});

it('knows languages by name and ending', () => {
  expect(languageFor('src/app.py')).toBe('python');
  expect(languageFor('Dockerfile')).toBe('docker');
  expect(languageFor('a.b.TS')).toBe('typescript');
  expect(languageFor('LICENSE')).toBeNull();
  expect(languageFor('constructor')).toBeNull();
});

it('shows pictures that cannot hold a script, and edits small texts', () => {
  expect(isShown({ mime: 'image/png' })).toBe(true);
  expect(isShown({ mime: 'image/svg+xml' })).toBe(false);
  expect(isEditable({ media: 'code', size: 10 })).toBe(true);
  expect(isEditable({ media: 'code', size: 10_000_000 })).toBe(false);
  expect(isEditable({ media: 'pdf', size: 10 })).toBe(false);
});
