import { expect, it } from 'vitest';
import { decodeBase64Url } from './base64Url';

it('reads bytes with the letters that addresses have, without padding', () => {
  expect([...decodeBase64Url('-_8')]).toEqual([251, 255]);
  expect([...decodeBase64Url('AAEC')]).toEqual([0, 1, 2]);
  expect([...decodeBase64Url('')]).toEqual([]);
});
