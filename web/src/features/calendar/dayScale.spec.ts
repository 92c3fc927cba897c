import { describe, expect, it } from 'vitest';
import { measureDay, momentOf, placeOf } from './dayScale';

const MADRID = 'Europe/Madrid';
const at = (text: string): number => Date.parse(text);

describe('the column of a day', () => {
  it('is the clock on an ordinary day', () => {
    const scale = measureDay('2026-11-20', MADRID);
    expect(placeOf(scale, at('2026-11-20T15:30:00Z'))).toBe(16 * 60 + 30);
    expect(momentOf(scale, 16 * 60 + 30)).toBe(at('2026-11-20T15:30:00Z'));
    expect([scale.missing, scale.repeated]).toEqual([null, null]);
  });

  it('puts what lies outside of the day to its edges', () => {
    const scale = measureDay('2026-11-20', MADRID);
    expect(placeOf(scale, at('2026-11-19T10:00:00Z'))).toBe(0);
    expect(placeOf(scale, at('2026-11-21T10:00:00Z'))).toBe(1440);
    expect(momentOf(scale, 1440)).toBe(at('2026-11-20T23:00:00Z'));
  });

  it('leaves the hour empty that the clocks leave out', () => {
    const scale = measureDay('2026-03-29', MADRID);
    expect(scale.missing).toEqual({ top: 120, bottom: 180 });
    expect(placeOf(scale, at('2026-03-29T00:59:00Z'))).toBe(119);
    expect(placeOf(scale, at('2026-03-29T01:00:00Z'))).toBe(180);
    expect(momentOf(scale, 150)).toBe(at('2026-03-29T01:00:00Z'));
    expect(placeOf(scale, at('2026-03-29T14:00:00Z'))).toBe(16 * 60);
  });

  it('holds both hours where the clocks repeat one', () => {
    const scale = measureDay('2026-10-25', MADRID);
    expect(scale.repeated).toEqual({ top: 120, bottom: 180 });
    expect(placeOf(scale, at('2026-10-25T00:30:00Z'))).toBe(135);
    expect(placeOf(scale, at('2026-10-25T01:30:00Z'))).toBe(165);
    expect(placeOf(scale, at('2026-10-25T02:00:00Z'))).toBe(180);
    expect(placeOf(scale, at('2026-10-25T15:00:00Z'))).toBe(16 * 60);
  });

  it.each([
    ['2026-03-29', MADRID],
    ['2026-10-25', MADRID],
    ['2026-03-08', 'America/New_York'],
    ['2026-04-05', 'Australia/Lord_Howe'],
    ['2026-10-04', 'Australia/Lord_Howe'],
    ['2026-09-06', 'America/Santiago'],
    ['2026-11-20', 'Asia/Kathmandu'],
  ])('gives every quarter of an hour of %s in %s a place of its own', (day, zone) => {
    const scale = measureDay(day, zone);
    let before = -1;
    for (let moment = scale.start; moment < scale.end; moment += 15 * 60_000) {
      const place = placeOf(scale, moment);
      expect(place).toBeGreaterThan(before);
      expect(momentOf(scale, place)).toBe(moment);
      before = place;
    }
  });
});
