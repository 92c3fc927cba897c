import { expect, it } from 'vitest';
import { isEditable, isBrowserImage, languageOfPath, formatBytes } from './fileKinds';

it('writes sizes as people read them', () => {
  expect(formatBytes(0)).toBe('0 bytes');
  expect(formatBytes(999)).toBe('999 bytes');
  expect(formatBytes(1200)).toBe('1.2 kB');
  expect(formatBytes(345_678_901)).toBe('346 MB');
  expect(formatBytes(5e12)).toBe('5,000 GB');
});

it('knows languages by name and ending', () => {
  expect(languageOfPath('src/app.py')).toBe('python');
  expect(languageOfPath('Dockerfile')).toBe('docker');
  expect(languageOfPath('a.b.TS')).toBe('typescript');
  expect(languageOfPath('LICENSE')).toBeNull();
  expect(languageOfPath('constructor')).toBeNull();
});

it('shows pictures that cannot hold a script, and edits small texts', () => {
  expect(isBrowserImage({ mime: 'image/png' })).toBe(true);
  expect(isBrowserImage({ mime: 'image/svg+xml' })).toBe(false);
  expect(isEditable({ media: 'code', size: 10 })).toBe(true);
  expect(isEditable({ media: 'code', size: 10_000_000 })).toBe(false);
  expect(isEditable({ media: 'pdf', size: 10 })).toBe(false);
});
