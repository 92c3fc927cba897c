/** The fewest characters that the server takes. */
export const PASSWORD_MIN_CHARS = 10;

export type PasswordStrength = 'none' | 'short' | 'email' | 'weak' | 'fair' | 'strong';

const COMMON_PASSWORDS = /password|passwort|qwerty|letmein|welcome|tertulia|12345|abcdef|(.)\1{3}/i;

/** How good a new password looks. Only what is `short` or the `email` is refused by the server. */
export function passwordStrength(password: string, email = ''): PasswordStrength {
  const length = Array.from(password).length;
  if (!length) return 'none';
  if (length < PASSWORD_MIN_CHARS) return 'short';
  if (email && password.trim().toLowerCase() === email.trim().toLowerCase()) return 'email';
  const different = new Set(password.toLowerCase()).size;
  if (different < 6 || (COMMON_PASSWORDS.test(password) && length < 20)) return 'weak';
  return length >= 16 || (length >= 12 && kinds(password) >= 3) ? 'strong' : 'fair';
}

/** How many more characters are needed. */
export const missingChars = (password: string): number =>
  Math.max(0, PASSWORD_MIN_CHARS - Array.from(password).length);

const kinds = (password: string): number =>
  [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(password)).length;
