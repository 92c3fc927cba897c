/**
 * The words of the interface. Each feature keeps its own in `texts.ts`, in English; a translation is
 * another value of the same shape, chosen by language in this one place.
 */
export function translate<T extends Record<string, unknown>>(english: T, others: Record<string, T> = {}): T {
  const language = (globalThis.navigator?.language ?? 'en').split('-')[0] ?? 'en';
  return others[language] ?? english;
}
