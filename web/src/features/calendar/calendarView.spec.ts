import { expect, it } from 'vitest';
import { parseView, shownDays, stepView, viewHref, viewTitle } from './calendarView';

const today = '2026-11-18';

it('reads the address, and goes by today where it says nothing useful', () => {
  expect(parseView(new URLSearchParams('view=month&date=2026-03-29'), today, 'week')).toEqual({
    view: 'month',
    date: '2026-03-29',
  });
  expect(parseView(new URLSearchParams('view=year&date=2026-02-31'), today, 'day')).toEqual({
    view: 'day',
    date: today,
  });
  expect(viewHref({ view: 'day', date: today })).toBe('/calendar?view=day&date=2026-11-18');
});

it('shows whole weeks from Monday', () => {
  const week = shownDays({ view: 'week', date: today });
  expect([week[0], week.at(-1)]).toEqual(['2026-11-16', '2026-11-22']);
  const month = shownDays({ view: 'month', date: today });
  expect([month[0], month.at(-1), month.length]).toEqual(['2026-10-26', '2026-12-06', 42]);
  expect(shownDays({ view: 'month', date: '2027-02-10' })).toHaveLength(28);
});

it('goes on by what is shown', () => {
  expect(stepView({ view: 'day', date: '2026-10-25' }, 1).date).toBe('2026-10-26');
  expect(stepView({ view: 'week', date: today }, -1).date).toBe('2026-11-11');
  expect(stepView({ view: 'month', date: '2026-01-31' }, 1).date).toBe('2026-02-01');
});

it('says which days are shown', () => {
  expect(viewTitle({ view: 'day', date: today })).toBe('Wednesday 18 November 2026');
  expect(viewTitle({ view: 'week', date: today })).toBe('16 – 22 November 2026');
  expect(viewTitle({ view: 'month', date: today })).toBe('November 2026');
});
