import { expect, it } from 'vitest';
import { slotText, sortEvents, spanText } from './spans';

const MADRID = 'Europe/Madrid';
const slot = { start: '2026-11-20T14:00:00+01:00', end: '2026-11-20T14:45:00+01:00' };

it('says a time of the day that is shown by the clock alone', () => {
  expect(slotText(slot, '2026-11-20', MADRID)).toBe('at 14:00');
  expect(slotText(slot, '2026-11-20', 'America/New_York')).toBe('at 08:00');
});

it('says the weekday and the date of any other', () => {
  expect(slotText(slot, '2026-11-19', MADRID)).toBe('on Friday 20 November 2026, 14:00');
  expect(spanText(slot, MADRID)).toBe('Friday 20 November 2026, 14:00 – 14:45');
});

it('lists whole days before hours', () => {
  const events = [
    { ...slot, all_day: false },
    { start: '2026-11-20T09:00:00+01:00', end: '', all_day: false },
    { start: '2026-11-20', end: '2026-11-21', all_day: true },
  ];
  expect(sortEvents(events).map(({ start }) => start.slice(10, 16))).toEqual(['', 'T09:00', 'T14:00']);
});
