import { expect, it } from 'vitest';
import { linesOf, secretsOf } from './adding';

it('reads arguments line by line', () => {
  expect(linesOf(' --root \n\n/srv/my notes\n')).toEqual(['--root', '/srv/my notes']);
});

it('reads secrets as variables and as headers', () => {
  expect(secretsOf('TOKEN=a=b\nAuthorization: Bearer x')).toEqual({
    TOKEN: 'a=b',
    Authorization: 'Bearer x',
  });
  expect(secretsOf('')).toEqual({});
  expect(secretsOf('TOKEN')).toBeNull();
});
