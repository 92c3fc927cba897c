import { expect, it } from 'vitest';
import { groupSlots, spread } from './slotDays';

it('puts free times under the days of the zone', () => {
  const slots = [
    { start: '2026-11-19T08:00:00Z', end: '2026-11-19T08:30:00Z' },
    { start: '2026-11-19T09:00:00Z', end: '2026-11-19T09:30:00Z' },
    { start: '2026-11-19T23:30:00Z', end: '2026-11-20T00:00:00Z' },
  ];
  const days = groupSlots(slots, 'Europe/Madrid', 1);
  expect(days.map(({ label, slots }) => [label, slots.map(({ from, to }) => `${from}-${to}`)])).toEqual([
    ['Thursday 19 November 2026', ['09:00-09:30']],
    ['Friday 20 November 2026', ['00:30-01:00']],
  ]);
});

it('offers times that lie apart, so that few of them show the whole day', () => {
  const slot = (from: string, to: string) => ({
    start: `2026-11-19T${from}:00Z`,
    end: `2026-11-19T${to}:00Z`,
  });
  const slots = [
    slot('08:00', '08:30'),
    slot('08:15', '08:45'),
    slot('08:30', '09:00'),
    slot('15:00', '15:30'),
  ];
  const [day] = groupSlots(slots, 'UTC', 8);
  expect(day?.slots.map(({ from }) => from)).toEqual(['08:00', '08:30', '15:00']);
});

it('takes some of a whole day, not its beginning', () => {
  expect(spread([0, 1, 2, 3, 4, 5, 6, 7, 8], 3)).toEqual([0, 3, 6]);
  expect(spread([0, 1], 3)).toEqual([0, 1]);
});
