/** Dollars with as many digits as a small price needs. */
export function formatPrice(dollars: number): string {
  if (dollars >= 0.1) return `$${dollars.toFixed(2)}`;
  return `$${Number(dollars.toPrecision(2))}`;
}
