import { describe, expect, it } from 'vitest';
import {
  addDays,
  addMonths,
  clockMinutes,
  clockText,
  dayOf,
  daysBetween,
  fromLocalText,
  isDay,
  listDays,
  minuteOf,
  momentAt,
  monthStart,
  shiftDays,
  startOfDay,
  toLocalText,
  toRfc3339,
  weekdayOf,
  weekStart,
} from './zonedTime';

const MADRID = 'Europe/Madrid';
const at = (text: string): number => Date.parse(text);

describe('days', () => {
  it('are counted across months, years and nights in which the clocks change', () => {
    expect(addDays('2026-10-24', 2)).toBe('2026-10-26');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(daysBetween('2026-10-24', '2026-10-26')).toBe(2);
    expect(daysBetween('2026-03-30', '2026-03-28')).toBe(-2);
    expect(listDays('2026-02-27', 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  });

  it('of a month that is shorter are its last', () => {
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
    expect(monthStart('2026-02-28')).toBe('2026-02-01');
  });

  it('know their week, which begins on Monday', () => {
    expect(weekdayOf('2026-11-20')).toBe(4);
    expect(weekStart('2026-11-22')).toBe('2026-11-16');
    expect(weekStart('2026-11-16')).toBe('2026-11-16');
  });

  it('are told from what is none', () => {
    expect(isDay('2026-11-30')).toBe(true);
    for (const text of ['2026-11-31', '2026-13-01', 'today', '', '2026-1-1']) expect(isDay(text)).toBe(false);
  });
});

describe('moments', () => {
  it('are read on the clock of a zone', () => {
    const moment = at('2026-11-20T23:30:00Z');
    expect([dayOf(moment, MADRID), minuteOf(moment, MADRID)]).toEqual(['2026-11-21', 30]);
    expect([dayOf(moment, 'America/Bogota'), minuteOf(moment, 'America/Bogota')]).toEqual([
      '2026-11-20',
      18 * 60 + 30,
    ]);
  });

  it('make days of 23 and 25 hours where the clocks change', () => {
    const hours = (day: string) =>
      (startOfDay(addDays(day, 1), MADRID) - startOfDay(day, MADRID)) / 3_600_000;
    expect([hours('2026-03-29'), hours('2026-10-25'), hours('2026-11-20')]).toEqual([23, 25, 24]);
  });

  it('are the first of two with the same time, and an hour later where a time is left out', () => {
    expect(momentAt('2026-10-25', 150, MADRID)).toBe(at('2026-10-25T00:30:00Z'));
    expect(momentAt('2026-03-29', 150, MADRID)).toBe(at('2026-03-29T01:30:00Z'));
    expect(momentAt('2026-11-20', 1440, MADRID)).toBe(startOfDay('2026-11-21', MADRID));
    expect(momentAt('2026-11-20', -30, MADRID)).toBe(momentAt('2026-11-19', 1410, MADRID));
  });

  it('keep their time on the clock when they move by days', () => {
    const before = momentAt('2026-10-24', 16 * 60, MADRID);
    const after = shiftDays(before, 1, MADRID);
    expect(minuteOf(after, MADRID)).toBe(16 * 60);
    expect(after - before).toBe(25 * 3_600_000);
  });

  it('go into fields and come back', () => {
    const moment = at('2026-11-20T15:05:00Z');
    expect(toLocalText(moment, MADRID)).toBe('2026-11-20T16:05');
    expect(fromLocalText('2026-11-20T16:05', MADRID)).toBe(moment);
    expect(clockMinutes(clockText(965))).toBe(965);
  });

  it('are told with the offset of their zone', () => {
    expect(toRfc3339(at('2026-11-20T15:00:00Z'), MADRID)).toBe('2026-11-20T16:00:00+01:00');
    expect(toRfc3339(at('2026-07-20T15:00:00Z'), 'America/St_Johns')).toBe('2026-07-20T12:30:00-02:30');
    expect(Date.parse(toRfc3339(at('2026-10-25T01:30:00Z'), MADRID))).toBe(at('2026-10-25T01:30:00Z'));
  });
});
