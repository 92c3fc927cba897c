import { expect, it } from 'vitest';
import type { WorkingHours } from './requests';
import { addSpan, areHoursValid, WEEKDAYS } from './workingHours';

const hours = (...spans: { start: string; end: string }[]): WorkingHours =>
  Object.fromEntries(WEEKDAYS.map((day) => [day, day === 'monday' ? spans : []])) as unknown as WorkingHours;

it('offers a working day first, then hours after those that are there', () => {
  const [first] = addSpan([]);
  expect(first).toEqual({ start: '09:00', end: '17:00' });
  expect(addSpan([{ start: '09:00', end: '13:00' }])[1]).toEqual({ start: '14:00', end: '18:00' });
  expect(addSpan([{ start: '09:00', end: '23:30' }])[1]).toEqual({ start: '23:00', end: '23:59' });
});

it('refuses hours that end before they begin, or overlap', () => {
  expect(areHoursValid(hours())).toBe(true);
  expect(areHoursValid(hours({ start: '14:00', end: '18:00' }, { start: '09:00', end: '13:00' }))).toBe(true);
  expect(areHoursValid(hours({ start: '20:00', end: '00:00' }))).toBe(true);
  expect(areHoursValid(hours({ start: '14:00', end: '14:00' }))).toBe(false);
  expect(areHoursValid(hours({ start: '09:00', end: '13:00' }, { start: '12:00', end: '15:00' }))).toBe(
    false,
  );
  expect(areHoursValid(hours({ start: '', end: '13:00' }))).toBe(false);
});
