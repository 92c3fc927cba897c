import { expect, it } from 'vitest';
import { secretOf } from './secret';

it('finds the secret in a whole link, in a hash, and alone', () => {
  expect(secretOf(' https://chat.example.org/join#s3cret ')).toBe('s3cret');
  expect(secretOf('#s3cret')).toBe('s3cret');
  expect(secretOf('s3cret\n')).toBe('s3cret');
  expect(secretOf('')).toBe('');
});
