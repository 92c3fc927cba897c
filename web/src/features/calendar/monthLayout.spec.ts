import { expect, it } from 'vitest';
import { fitBars, placeWeek } from './monthLayout';
import type { ShownEvent } from './shownEvents';

const event = (key: string, firstDay: string, lastDay: string, isBar = firstDay !== lastDay) =>
  ({ key, firstDay, lastDay, isBar, start: Date.parse(firstDay) }) as ShownEvent;
const monday = '2026-11-16';

it('puts what takes days above what takes hours, and leaves out other weeks', () => {
  const bars = placeWeek(
    [
      event('lunch', '2026-11-17', '2026-11-17'),
      event('trip', '2026-11-14', '2026-11-17'),
      event('later', '2026-11-23', '2026-11-23'),
    ],
    monday,
  );
  expect(bars.map(({ item, first, last, line }) => [item.event.key, first, last, line])).toEqual([
    ['trip', 0, 1, 0],
    ['lunch', 1, 1, 1],
  ]);
});

it('shows what ends after midnight on the day on which it begins, below what takes the day', () => {
  const bars = placeWeek(
    [
      event('show', '2026-11-17', '2026-11-18', false),
      event('holiday', '2026-11-17', '2026-11-17', true),
      event('party', '2026-11-15', '2026-11-16', false),
    ],
    monday,
  );
  expect(bars.map(({ item, first, last, line }) => [item.event.key, first, last, line])).toEqual([
    ['holiday', 1, 1, 0],
    ['show', 1, 1, 1],
  ]);
});

it('counts for each day what has no room, with the line that says so', () => {
  const four = ['a', 'b', 'c', 'd'].map((key) => event(key, '2026-11-17', '2026-11-17'));
  const bars = placeWeek([...four, event('e', '2026-11-19', '2026-11-19')], monday);
  expect(fitBars(bars, 4).hidden).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(fitBars(bars, 3).hidden).toEqual([0, 2, 0, 0, 0, 0, 0]);
  expect(fitBars(bars, 3).drawn).toHaveLength(3);
});

it('counts a bar without room on each of its days', () => {
  const bars = placeWeek(
    [event('trip', '2026-11-16', '2026-11-18'), event('a', '2026-11-17', '2026-11-17')],
    monday,
  );
  expect(fitBars(bars, 1)).toEqual({ drawn: [], hidden: [1, 2, 1, 0, 0, 0, 0] });
});
