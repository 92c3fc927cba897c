/** Moments as people read them: how long ago, on which day, under which heading. */
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** How long ago, or in how long; beyond a month the date says more. */
export function formatRelativeTime(moment: string, now = Date.now()): string {
  const seconds = (Date.parse(moment) - now) / 1000;
  if (Math.abs(seconds) < 60) return 'just now';
  if (Math.abs(seconds) > 31 * 86_400) return formatDate(moment);
  const [unit, size] = UNITS.find((entry) => Math.abs(seconds) >= entry[1]) as (typeof UNITS)[number];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.round(seconds / size), unit);
}

export const formatDate = (moment: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(new Date(moment));

export const formatDateTime = (moment: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment));

/** The heading under which a conversation is listed. */
export function dayHeading(moment: string, now = new Date()): string {
  // Rounded: a day on which the clocks change is an hour shorter or longer.
  const days = Math.round((startOfDay(now) - startOfDay(new Date(moment))) / 86_400_000);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days < 7) return 'This week';
  return new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' }).format(new Date(moment));
}

const startOfDay = (date: Date): number =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
