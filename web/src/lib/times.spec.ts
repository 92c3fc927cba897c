import { expect, it } from 'vitest';
import { dayHeading, formatDate, formatRelativeTime } from './times';

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

it('heads the last week with words, and what is older with its month', () => {
  const now = new Date(2026, 2, 12, 9);
  const heading = (month: number, day: number) =>
    dayHeading(new Date(2026, month, day, 23).toISOString(), now);
  expect([heading(2, 12), heading(2, 11), heading(2, 10), heading(2, 6)]).toEqual([
    'Today',
    'Yesterday',
    'This week',
    'This week',
  ]);
  expect([heading(2, 5), heading(1, 20)]).toEqual(['March 2026', 'February 2026']);
});

it('knows yesterday by its date, also after a night in which the clocks changed', () => {
  const night = [new Date(2026, 2, 29, 1), new Date(2026, 9, 25, 1), new Date(2026, 2, 8, 1)];
  for (const changed of night) {
    const after = new Date(changed.getFullYear(), changed.getMonth(), changed.getDate() + 1, 0, 30);
    expect(dayHeading(changed.toISOString(), after)).toBe('Yesterday');
  }
});
