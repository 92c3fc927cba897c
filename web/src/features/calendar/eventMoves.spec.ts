import { describe, expect, it } from 'vitest';
import { dragEnd, dragEvent, dragOver, dragStart, keyMove, moveByKey, timesChange } from './eventMoves';
import type { CalendarEvent } from './requests';
import { showEvent } from './shownEvents';

const MADRID = 'Europe/Madrid';
const show = (values: Partial<CalendarEvent>) =>
  showEvent(
    { id: 'e', calendar_id: 'c', all_day: false, time_zone: MADRID, ...values } as CalendarEvent,
    undefined,
    MADRID,
  );
const hour = show({ start: '2026-11-20T15:00:00Z', end: '2026-11-20T16:00:00Z' });
const trip = show({ all_day: true, start: '2026-11-20', end: '2026-11-22', time_zone: '' });
const iso = ({ start, end }: { start: number; end: number }) =>
  [start, end].map((moment) => new Date(moment).toISOString().slice(0, 16));

describe('an event that is dragged', () => {
  it('goes by days and quarters of an hour, and keeps how long it takes', () => {
    expect(iso(dragEvent(hour, 1, -52, MADRID))).toEqual(['2026-11-21T14:15', '2026-11-21T15:15']);
    const odd = show({ start: '2026-11-20T15:05:00Z', end: '2026-11-20T15:50:00Z' });
    expect(iso(dragEvent(odd, 0, 30, MADRID))).toEqual(['2026-11-20T15:30', '2026-11-20T16:15']);
    expect(iso(dragEvent(odd, 2, 3, MADRID))).toEqual(['2026-11-22T15:05', '2026-11-22T15:50']);
  });

  it('keeps its time on the clock over a night in which the clocks change', () => {
    const before = show({ start: '2026-10-24T14:00:00Z', end: '2026-10-24T15:00:00Z' });
    expect(iso(dragEvent(before, 1, 0, MADRID))).toEqual(['2026-10-25T15:00', '2026-10-25T16:00']);
  });

  it('goes by days alone where it takes whole days', () => {
    expect(timesChange(dragEvent(trip, -1, 300, MADRID), trip, MADRID)).toEqual({
      start: '2026-11-19',
      end: '2026-11-21',
      all_day: true,
    });
  });

  it('keeps a quarter of an hour when its edges are dragged past each other', () => {
    expect(iso(dragEnd(hour, hour.start - 1))).toEqual(['2026-11-20T15:00', '2026-11-20T15:15']);
    expect(iso(dragStart(hour, hour.end + 1))).toEqual(['2026-11-20T15:45', '2026-11-20T16:00']);
  });

  it('can be drawn upwards too', () => {
    expect(dragOver(hour.end, hour.start)).toEqual({ start: hour.start, end: hour.end });
    expect(iso(dragOver(hour.start, hour.start))).toEqual(['2026-11-20T15:00', '2026-11-20T15:15']);
  });
});

describe('keys', () => {
  const press = (key: string, shift = false, shown = hour, hasHours = true) => {
    const move = keyMove(key, shift, hasHours);
    return move && iso(moveByKey(shown, move, MADRID));
  };

  it('move an event by quarters of an hour and by days', () => {
    expect(press('ArrowDown')).toEqual(['2026-11-20T15:15', '2026-11-20T16:15']);
    expect(press('ArrowLeft')).toEqual(['2026-11-19T15:00', '2026-11-19T16:00']);
    expect(press('Enter')).toBeNull();
  });

  it('stretch it with Shift, and never to nothing', () => {
    expect(press('ArrowDown', true)).toEqual(['2026-11-20T15:00', '2026-11-20T16:15']);
    const quarter = show({ start: '2026-11-20T15:00:00Z', end: '2026-11-20T15:15:00Z' });
    expect(press('ArrowUp', true, quarter)).toEqual(['2026-11-20T15:00', '2026-11-20T15:15']);
  });

  it('move by weeks where there are no hours', () => {
    expect(press('ArrowDown', false, hour, false)).toEqual(['2026-11-27T15:00', '2026-11-27T16:00']);
  });

  it('stretch an all-day event by days, and leave it one', () => {
    expect(
      timesChange(moveByKey(trip, { isStretch: true, days: -7, steps: 0 }, MADRID), trip, MADRID),
    ).toEqual({
      start: '2026-11-20',
      end: '2026-11-21',
      all_day: true,
    });
  });
});

it('tells the server the moments in the zone of the event', () => {
  const abroad = show({
    start: '2026-11-20T15:00:00Z',
    end: '2026-11-20T16:00:00Z',
    time_zone: 'America/New_York',
  });
  expect(timesChange(abroad, abroad, MADRID)).toEqual({
    start: '2026-11-20T10:00:00-05:00',
    end: '2026-11-20T11:00:00-05:00',
  });
});
