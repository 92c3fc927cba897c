import { expect, it } from 'vitest';
import { phaseDates, phasePercent, phaseState } from './phaseTimes';

const TODAY = '2026-11-18';
const phase = (
  done_count: number,
  task_count: number,
  start_date: string | null = null,
  end_date = start_date,
) => ({
  done_count,
  task_count,
  start_date,
  end_date,
});

it('counts how far a phase has come', () => {
  expect([phase(0, 0), phase(1, 3), phase(2, 2)].map(phasePercent)).toEqual([0, 33, 100]);
});

it('says how a phase stands', () => {
  expect(phaseState(phase(2, 2, '2026-11-01'), TODAY)).toBe('done');
  expect(phaseState(phase(1, 2, '2026-11-01', '2026-11-17'), TODAY)).toBe('late');
  expect(phaseState(phase(0, 0, '2026-11-01', '2026-11-18'), TODAY)).toBe('now');
  expect(phaseState(phase(0, 2, '2026-12-01'), TODAY)).toBe(null);
  expect(phaseState(phase(0, 2), TODAY)).toBe(null);
});

it('says from when to when it is', () => {
  expect(phaseDates(phase(0, 0, '2026-11-01', '2026-12-04'))).toBe('1 Nov – 4 December 2026');
  expect(phaseDates(phase(0, 0, '2026-11-01', '2027-01-04'))).toBe('1 November 2026 – 4 January 2027');
  expect(phaseDates(phase(0, 0))).toBe('');
  expect(phaseDates({ start_date: '2026-11-01', end_date: null })).toBe('from 1 November 2026');
  expect(phaseDates({ start_date: null, end_date: '2026-11-01' })).toBe('until 1 November 2026');
});
