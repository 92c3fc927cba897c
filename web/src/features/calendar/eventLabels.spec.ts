import { expect, it } from 'vitest';
import { eventLabel } from './eventLabels';
import type { Calendar, CalendarEvent } from './requests';
import { showEvent } from './shownEvents';

const MADRID = 'Europe/Madrid';
const show = (values: Partial<CalendarEvent>) =>
  showEvent(
    { id: 'e', title: 'Dentist', location: '', all_day: false, problem: '', ...values } as CalendarEvent,
    { name: 'Home' } as Calendar,
    MADRID,
  );
const hour = { start: '2026-11-20T15:00:00Z', end: '2026-11-20T16:00:00Z' };

it('begins with the words that are seen, and says nothing twice', () => {
  expect(eventLabel(['Dentist', '16:00 – 17:00'], show(hour), MADRID)).toBe(
    'Dentist 16:00 – 17:00, Friday 20 November 2026, Home',
  );
  expect(eventLabel(['16:00', 'Dentist'], show({ ...hour, location: 'Porto' }), MADRID)).toBe(
    '16:00 Dentist, Friday 20 November 2026, 16:00 – 17:00, Porto, Home',
  );
});

it('says what only colours and signs would tell', () => {
  const shown = show({ ...hour, status: 'tentative', is_recurring: true, rrule: 'FREQ=DAILY' });
  expect(eventLabel(['Dentist'], shown, MADRID)).toBe(
    'Dentist, Friday 20 November 2026, 16:00 – 17:00, Home, Tentative, Every day',
  );
});
