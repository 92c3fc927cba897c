import { expect, it } from 'vitest';
import { parseOneTimeSecret } from './oneTimeSecret';

it('finds the secret in a whole link, in a hash, and alone', () => {
  expect(parseOneTimeSecret(' https://chat.example.org/join#s3cret ')).toBe('s3cret');
  expect(parseOneTimeSecret('#s3cret')).toBe('s3cret');
  expect(parseOneTimeSecret('s3cret\n')).toBe('s3cret');
  expect(parseOneTimeSecret('')).toBe('');
});
