import { expect, it } from 'vitest';
import {
  daysText,
  fullDateText,
  momentsText,
  monthName,
  rangeText,
  shortDateText,
  timeText,
} from './dateWords';

const MADRID = 'Europe/Madrid';
const at = (text: string): number => Date.parse(text);

it('says days like the server does', () => {
  expect(fullDateText('2026-11-20')).toBe('Friday 20 November 2026');
  expect(shortDateText('2026-11-20')).toBe('20 Nov');
  expect(monthName('2026-11-01')).toBe('November 2026');
  expect(timeText(at('2026-11-20T15:05:00Z'), MADRID)).toBe('16:05');
});

it('says no more of a range than is needed', () => {
  expect(rangeText('2026-11-16', '2026-11-22')).toBe('16 – 22 November 2026');
  expect(rangeText('2026-09-28', '2026-10-04')).toBe('28 September – 4 October 2026');
  expect(rangeText('2026-12-28', '2027-01-03')).toBe('28 December 2026 – 3 January 2027');
  expect(rangeText('2026-11-20', '2026-11-20')).toBe('Friday 20 November 2026');
  expect(daysText('2026-11-20', '2026-11-22')).toBe('Friday 20 November 2026 – Sunday 22 November 2026');
});

it('names the second day only where there is one', () => {
  expect(momentsText(at('2026-11-20T15:00:00Z'), at('2026-11-20T16:00:00Z'), MADRID)).toBe(
    'Friday 20 November 2026, 16:00 – 17:00',
  );
  expect(momentsText(at('2026-11-20T22:00:00Z'), at('2026-11-20T23:00:00Z'), MADRID)).toBe(
    'Friday 20 November 2026, 23:00 – 00:00',
  );
  expect(momentsText(at('2026-11-20T22:00:00Z'), at('2026-11-21T00:00:00Z'), MADRID)).toBe(
    'Friday 20 November 2026, 23:00 – Saturday 21 November 2026, 01:00',
  );
});
