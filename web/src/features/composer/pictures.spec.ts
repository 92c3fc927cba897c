// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { freshKey } from './keys';
import { contentOf, kindOf, LARGEST, MOST_PICTURES, objection, shown } from './pictures';

const file = (type: string, size = 10) => ({ name: 'cat', type, size });

it('takes the four kinds of picture, up to their size and number', () => {
  for (const kind of ['png', 'jpeg', 'gif', 'webp']) expect(objection(file(`image/${kind}`), 0)).toBeNull();
  expect(objection(file('image/svg+xml'), 0)).toContain('not a PNG');
  expect(objection(file('application/pdf'), 0)).toContain('cat');
  expect(objection(file('image/png', LARGEST), 0)).toBeNull();
  expect(objection(file('image/png', LARGEST + 1), 0)).toContain('5 MB');
  expect(objection(file('image/png'), MOST_PICTURES)).toContain('eight');
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
  const data = await contentOf(new File(['GIF89a'], 'cat.gif', { type: 'image/gif' }));
  expect(data).toBe(btoa('GIF89a'));
  expect(shown({ id: '1', name: 'cat', data })).toBe(`data:image/gif;base64,${data}`);
});

it('finds a fresh key where the browser offers none', () => {
  const poor = { getRandomValues: crypto.getRandomValues.bind(crypto) };
  expect(freshKey(poor)).toMatch(/^[0-9a-f]{32}$/);
  expect(freshKey(poor)).not.toBe(freshKey(poor));
  expect(freshKey()).not.toBe(freshKey());
});
