import { expect, it } from 'vitest';
import { formatDate, formatRelativeTime } from './times';

const now = Date.parse('2026-03-10T12:00:00Z');

it('says how long ago in the largest unit that fits', () => {
  expect(formatRelativeTime('2026-03-10T11:59:30Z', now)).toBe('just now');
  expect(formatRelativeTime('2026-03-10T11:55:00Z', now)).toBe('5 minutes ago');
  expect(formatRelativeTime('2026-03-10T09:00:00Z', now)).toBe('3 hours ago');
  expect(formatRelativeTime('2026-03-09T12:00:00Z', now)).toBe('yesterday');
  expect(formatRelativeTime('2026-03-17T12:00:00Z', now)).toBe('in 7 days');
});

it('gives the date of what is long ago', () => {
  expect(formatRelativeTime('2025-01-02T12:00:00Z', now)).toBe(formatDate('2025-01-02T12:00:00Z'));
});
