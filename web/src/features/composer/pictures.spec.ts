// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { randomKey } from '$lib/randomKey';
import {
  readAsBase64,
  fitPicture,
  isSendableAsIs,
  detectMimeType,
  PICTURE_MAX_BYTES,
  pictureDataUrl,
} from './pictures';

const file = (type: string, size = 10) => ({ name: 'cat', type, size });

it('takes the four kinds of picture as they are, up to their size', () => {
  for (const kind of ['png', 'jpeg', 'gif', 'webp']) expect(isSendableAsIs(file(`image/${kind}`))).toBe(true);
  expect(isSendableAsIs(file('image/svg+xml'))).toBe(false);
  expect(isSendableAsIs(file('application/pdf'))).toBe(false);
  expect(isSendableAsIs(file('image/png', PICTURE_MAX_BYTES))).toBe(true);
  expect(isSendableAsIs(file('image/png', PICTURE_MAX_BYTES + 1))).toBe(false);
});

it('sees no picture in what is none, or cannot be drawn', async () => {
  for (const type of ['text/plain', 'image/svg+xml', 'image/heic'])
    expect(await fitPicture(new File(['x'], 'cat', { type }))).toBeNull();
});

it('knows a picture by its bytes', () => {
  const start = (bytes: number[]) => btoa(String.fromCharCode(...bytes));
  expect(detectMimeType(start([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]))).toBe('image/png');
  expect(detectMimeType(start([0xff, 0xd8, 0xff, 0xe0]))).toBe('image/jpeg');
  expect(detectMimeType(btoa('GIF89a'))).toBe('image/gif');
  expect(detectMimeType(btoa('RIFFxxxxWEBP'))).toBe('image/webp');
  expect(detectMimeType(btoa('<svg>'))).toBeNull();
});

it('reads a file, and shows it without asking anyone', async () => {
  const data = await readAsBase64(new Blob(['GIF89a'], { type: 'image/gif' }), 'cat.gif');
  expect(data).toBe(btoa('GIF89a'));
  expect(pictureDataUrl({ id: '1', name: 'cat', data })).toBe(`data:image/gif;base64,${data}`);
});

it('finds a fresh key where the browser offers none', () => {
  const poor = { getRandomValues: crypto.getRandomValues.bind(crypto) };
  expect(randomKey(poor)).toMatch(/^[0-9a-f]{32}$/);
  expect(randomKey(poor)).not.toBe(randomKey(poor));
  expect(randomKey()).not.toBe(randomKey());
});
