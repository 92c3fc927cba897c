import { expect, it } from 'vitest';
import { addressOf, bodyOf, isFiltered, NOTHING, wantedIn } from './address';

const read = (address: string) => wantedIn(new URL(address, 'http://localhost').searchParams);

it('finds in an address what was written into it', () => {
  const wanted = { ...NOTHING, q: 'a & b? #c', project: 'p', kind: 'file' as const, from: '2026-01-31' };
  expect(read(addressOf(wanted))).toEqual(wanted);
  expect(addressOf(NOTHING)).toBe('/search');
});

it('leaves out what an address cannot mean', () => {
  expect(read('/search?q=x&kind=nonsense&from=yesterday')).toEqual({ ...NOTHING, q: 'x' });
});

it('knows whether something narrows the search down', () => {
  expect(isFiltered({ ...NOTHING, q: 'x', project: 'p' })).toBe(false);
  expect(isFiltered({ ...NOTHING, tag: 'draft' })).toBe(true);
});

it('asks the server for whole days and for each of several names', () => {
  const { filter } = bodyOf({ ...NOTHING, q: 'x', type: 'md, py,', to: '2026-01-31' }, 20);
  expect(filter.file_types).toEqual(['md', 'py']);
  expect(filter.since).toBeNull();
  expect(new Date(filter.until ?? '').getHours()).toBe(23);
});
