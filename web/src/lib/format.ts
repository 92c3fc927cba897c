/** Numbers, money and durations as people read them. */
const number = new Intl.NumberFormat();

export const formatTokens = (count: number): string =>
  count < 10_000 ? number.format(count) : `${number.format(Math.round(count / 1000))}k`;

/** Tokens in as little room as a ring leaves: 950, 4.2k, 64k, 1.2M. */
export function compactTokens(count: number): string {
  if (count < 1000) return String(count);
  const [size, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${size < 9.95 ? Number(size.toFixed(1)) : Math.round(size)}${unit}`;
}

/** What something cost, as far as it is known; null where nobody knows the price. */
export function formatCost(dollars: number | null, isEstimate = false): string {
  if (dollars === null) return 'price unknown';
  if (dollars === 0) return 'free';
  const amount = dollars < 0.01 ? `${(dollars * 100).toPrecision(2)}¢` : `$${dollars.toFixed(2)}`;
  return isEstimate ? `about ${amount}` : amount;
}

/** Dollars with as many digits as a small price needs. */
export function formatPrice(dollars: number): string {
  if (dollars >= 0.1) return `$${dollars.toFixed(2)}`;
  return `$${Number(dollars.toPrecision(2))}`;
}

export const formatSeconds = (from: string, to: string): string =>
  `${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(1)} s`;
