/** Days as `YYYY-MM-DD`, without a clock: which is today, how far away others are, how people read them. */

const DAY_MS = 86_400_000;

/** Return the day that it is in a time zone. */
export function todayIn(zone: string, now = new Date()): string {
  // Sweden writes days as ISO does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(now);
}

/** Return the day so many days later, or earlier. */
export const addDays = (day: string, days: number): string =>
  new Date(atNoon(day).getTime() + days * DAY_MS).toISOString().slice(0, 10);

/** Count the days from one day to another. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((atNoon(to).getTime() - atNoon(from).getTime()) / DAY_MS);

/** Return a day as it is read without doubt: Friday 20 November 2026. */
export const formatLongDay = (day: string): string =>
  format(day, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** Return a day in little room, the near ones by name: Today, Tomorrow, Friday, Fri 4 Dec, 4 Dec 2027. */
export function dayLabel(day: string, today: string): string {
  const away = daysBetween(today, day);
  const near = { '-1': 'Yesterday', '0': 'Today', '1': 'Tomorrow' }[String(away)];
  if (near) return near;
  if (away > 1 && away < 7) return format(day, { weekday: 'long' });
  if (day.slice(0, 4) === today.slice(0, 4))
    return format(day, { weekday: 'short', day: 'numeric', month: 'short' });
  return format(day, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** Noon in UTC: on the same day whatever becomes of the clocks. */
const atNoon = (day: string): Date => new Date(`${day}T12:00:00Z`);

const format = (day: string, parts: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(atNoon(day)).replace(',', '');
