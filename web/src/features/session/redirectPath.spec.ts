import { describe, expect, it } from 'vitest';
import { safeRedirectPath } from './redirectPath';

describe('where to go after signing in', () => {
  it.each(['/', '/c/cnv_1', '/models?tab=x#top', '/settings/tokens'])('keeps our own path %s', (path) => {
    expect(safeRedirectPath(path)).toBe(path);
  });

  it.each([
    null,
    '',
    'settings',
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    'javascript:alert(1)',
    '///',
    '//[',
  ])('goes to the start instead of %j', (path) => {
    expect(safeRedirectPath(path)).toBe('/');
  });
});
