/** What is typed line by line, as the server wants it. */

/** The lines that say something. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Secrets written as NAME=value or `Name: value`; null where a line is neither. */
export function secretsOf(text: string): Record<string, string> | null {
  const pairs = linesOf(text).map((line) => /^([^=:\s]+)\s*[=:]\s*(.+)$/.exec(line));
  if (pairs.some((pair) => pair === null)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}
