// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '$api/client';
import { formBody, newEventForm } from './eventForm';
import { draftOfReading, QuickEntry } from './quickEntry.svelte';
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

describe('what was written after it was read', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('is not read until it is read again, although what was read before still stands there', async () => {
    vi.useFakeTimers();
    vi.spyOn(api, 'POST').mockImplementation(((_path: string, { body }: { body: { text: string } }) =>
      Promise.resolve({
        data: { start: '2026-11-20T13:00:00+01:00', reading: body.text },
        response: new Response(null, { status: 200 }),
      })) as never);
    const entry = new QuickEntry(() => MADRID);
    entry.text = 'Lunch on Friday at 1';
    expect(entry.isRead).toBe(false);
    await vi.advanceTimersByTimeAsync(300);
    expect(entry.isRead).toBe(true);
    entry.text = 'Lunch on Friday at 12';
    expect([entry.isRead, entry.reading?.reading]).toEqual([false, 'Lunch on Friday at 1']);
    await entry.read();
    expect([entry.isRead, entry.reading?.reading]).toEqual([true, 'Lunch on Friday at 12']);
  });
});
