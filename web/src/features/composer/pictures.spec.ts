// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { freshKey } from './keys';
import { contentOf, fitting, isReady, kindOf, LARGEST, shown } from './pictures';

const file = (type: string, size = 10) => ({ name: 'cat', type, size });

it('takes the four kinds of picture as they are, up to their size', () => {
  for (const kind of ['png', 'jpeg', 'gif', 'webp']) expect(isReady(file(`image/${kind}`))).toBe(true);
  expect(isReady(file('image/svg+xml'))).toBe(false);
  expect(isReady(file('application/pdf'))).toBe(false);
  expect(isReady(file('image/png', LARGEST))).toBe(true);
  expect(isReady(file('image/png', LARGEST + 1))).toBe(false);
});

it('sees no picture in what is none, or cannot be drawn', async () => {
  for (const type of ['text/plain', 'image/svg+xml', 'image/heic'])
    expect(await fitting(new File(['x'], 'cat', { type }))).toBeNull();
});

it('knows a picture by its bytes', () => {
  const start = (bytes: number[]) => btoa(String.fromCharCode(...bytes));
  expect(kindOf(start([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]))).toBe('image/png');
  expect(kindOf(start([0xff, 0xd8, 0xff, 0xe0]))).toBe('image/jpeg');
  expect(kindOf(btoa('GIF89a'))).toBe('image/gif');
  expect(kindOf(btoa('RIFFxxxxWEBP'))).toBe('image/webp');
  expect(kindOf(btoa('<svg>'))).toBeNull();
});

it('reads a file, and shows it without asking anyone', async () => {
  const data = await contentOf(new Blob(['GIF89a'], { type: 'image/gif' }), 'cat.gif');
  expect(data).toBe(btoa('GIF89a'));
  expect(shown({ id: '1', name: 'cat', data })).toBe(`data:image/gif;base64,${data}`);
});

it('finds a fresh key where the browser offers none', () => {
  const poor = { getRandomValues: crypto.getRandomValues.bind(crypto) };
  expect(freshKey(poor)).toMatch(/^[0-9a-f]{32}$/);
  expect(freshKey(poor)).not.toBe(freshKey(poor));
  expect(freshKey()).not.toBe(freshKey());
});
