import { expect, it, vi } from 'vitest';
import { browserTimeZone, timeZoneLabel, timeZoneNames } from './timeZones';

it('knows where the browser is, or goes by UTC', () => {
  expect(timeZoneNames()).toContain(browserTimeZone());
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValueOnce({} as never);
  expect(browserTimeZone()).toBe('UTC');
});

it('offers every time zone once, that of the person among them', () => {
  const names = timeZoneNames('Asia/Calcutta', 'Europe/Madrid');
  expect(names).toEqual(expect.arrayContaining(['UTC', 'Asia/Calcutta', 'Europe/Madrid']));
  expect(new Set(names).size).toBe(names.length);
});

it('writes a name as people read it', () => {
  expect(timeZoneLabel('America/Argentina/Buenos_Aires')).toBe('America/Argentina/Buenos Aires');
});
