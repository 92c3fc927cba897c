import { describe, expect, it } from 'vitest';
import { addDays, dayLabel, daysBetween, formatLongDay, todayIn } from './days';

describe('today', () => {
  it('is another day elsewhere', () => {
    const moment = new Date('2026-11-18T23:30:00Z');
    expect(todayIn('Europe/London', moment)).toBe('2026-11-18');
    expect(todayIn('Europe/Madrid', moment)).toBe('2026-11-19');
    expect(todayIn('America/Los_Angeles', moment)).toBe('2026-11-18');
  });
});

describe('days', () => {
  it('are counted across months, leap years and changes of the clocks', () => {
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(daysBetween('2026-03-28', '2026-03-30')).toBe(2);
    expect(daysBetween('2026-11-20', '2026-11-18')).toBe(-2);
  });

  it('are read without doubt', () => {
    expect(formatLongDay('2026-11-20')).toBe('Friday 20 November 2026');
  });

  it.each([
    ['2026-11-17', 'Yesterday'],
    ['2026-11-18', 'Today'],
    ['2026-11-19', 'Tomorrow'],
    ['2026-11-20', 'Friday'],
    ['2026-11-24', 'Tuesday'],
    ['2026-11-25', 'Wed 25 Nov'],
    ['2026-11-11', 'Wed 11 Nov'],
    ['2027-01-04', '4 Jan 2027'],
  ])('%s is shown as %s', (day, label) => {
    expect(dayLabel(day, '2026-11-18')).toBe(label);
  });
});
