/** A key nobody else has. Outside HTTPS and localhost browsers offer no `randomUUID`. */
export function randomKey(from: Pick<Crypto, 'getRandomValues'> & Partial<Crypto> = crypto): string {
  if (from.randomUUID) return from.randomUUID();
  const bytes = from.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
