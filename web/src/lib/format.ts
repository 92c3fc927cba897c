/** Numbers, money and times as people read them. */
const number = new Intl.NumberFormat();

export const formatTokens = (count: number): string =>
  count < 10_000 ? number.format(count) : `${number.format(Math.round(count / 1000))}k`;

/** What something cost, as far as it is known; null where nobody knows the price. */
export function formatCost(dollars: number | null, isEstimate = false): string {
  if (dollars === null) return 'price unknown';
  if (dollars === 0) return 'free';
  const amount = dollars < 0.01 ? `${(dollars * 100).toPrecision(2)}¢` : `$${dollars.toFixed(2)}`;
  return isEstimate ? `about ${amount}` : amount;
}

export const formatSeconds = (from: string, to: string): string =>
  `${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(1)} s`;

/** The heading under which a conversation is listed. */
export function dayHeading(moment: string, now = new Date()): string {
  const days = Math.floor((startOfDay(now) - startOfDay(new Date(moment))) / 86_400_000);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days < 7) return 'This week';
  return new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' }).format(new Date(moment));
}

const startOfDay = (date: Date): number =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
