/** The fewest characters that the server takes. */
export const SHORTEST = 10;

export type Strength = 'none' | 'short' | 'email' | 'weak' | 'fair' | 'strong';

const GUESSED_FIRST = /password|passwort|qwerty|letmein|welcome|tertulia|12345|abcdef|(.)\1{3}/i;

/** How good a new password looks. Only what is `short` or the `email` is refused by the server. */
export function strengthOf(password: string, email = ''): Strength {
  const length = Array.from(password).length;
  if (!length) return 'none';
  if (length < SHORTEST) return 'short';
  if (email && password.trim().toLowerCase() === email.trim().toLowerCase()) return 'email';
  const different = new Set(password.toLowerCase()).size;
  if (different < 6 || (GUESSED_FIRST.test(password) && length < 20)) return 'weak';
  return length >= 16 || (length >= 12 && kinds(password) >= 3) ? 'strong' : 'fair';
}

/** How many more characters are needed. */
export const missing = (password: string): number => Math.max(0, SHORTEST - Array.from(password).length);

const kinds = (password: string): number =>
  [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(password)).length;
