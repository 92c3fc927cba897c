import { describe, expect, it } from 'vitest';
import { formBody, newEventForm } from './eventForm';
import { draftOfReading } from './quickEntry.svelte';
import type { DateReading } from './requests';

const MADRID = 'Europe/Madrid';
const body = (values: Partial<DateReading>) => {
  const reading = { end: null, all_day: false, rrule: '', said: '', rest: 'Lunch', reading: '', ...values };
  return formBody(newEventForm(draftOfReading(reading as DateReading, MADRID), 'cal_1', MADRID));
};

describe('what was read in words', () => {
  it('lasts an hour where no end was said', () => {
    expect(body({ start: '2026-11-20T16:00:00+01:00' })).toMatchObject({
      title: 'Lunch',
      start: '2026-11-20T16:00:00+01:00',
      end: '2026-11-20T17:00:00+01:00',
      all_day: false,
    });
  });

  it('takes the day where no time was said', () => {
    expect(body({ start: '2026-11-20', all_day: true })).toMatchObject({
      start: '2026-11-20',
      end: '2026-11-21',
      all_day: true,
    });
    expect(body({ start: '2026-11-20', end: '2026-11-23', all_day: true })).toMatchObject({
      end: '2026-11-23',
    });
  });

  it('repeats as it was said', () => {
    expect(body({ start: '2026-11-20', all_day: true, rrule: 'FREQ=WEEKLY;BYDAY=FR' }).rrule).toBe(
      'FREQ=WEEKLY;BYDAY=FR',
    );
  });
});
