import { expect, it } from 'vitest';
import { searchHref, searchRequest, hasFilters, EMPTY_QUERY, parseSearchQuery } from './searchQuery';

const read = (address: string) => parseSearchQuery(new URL(address, 'http://localhost').searchParams);

it('finds in an address what was written into it', () => {
  const wanted = { ...EMPTY_QUERY, q: 'a & b? #c', project: 'p', kind: 'file' as const, from: '2026-01-31' };
  expect(read(searchHref(wanted))).toEqual(wanted);
  expect(searchHref(EMPTY_QUERY)).toBe('/search');
});

it.each(['file', 'message', 'summary', 'memory', 'task'] as const)('searches for %s alone', (kind) => {
  expect(read(`/search?q=x&kind=${kind}`).kind).toBe(kind);
  expect(searchRequest({ ...EMPTY_QUERY, q: 'x', kind }, 20).filter.kinds).toEqual([kind]);
});

it('leaves out what an address cannot mean', () => {
  expect(read('/search?q=x&kind=nonsense&from=yesterday')).toEqual({ ...EMPTY_QUERY, q: 'x' });
});

it('knows whether something narrows the search down', () => {
  expect(hasFilters({ ...EMPTY_QUERY, q: 'x', project: 'p' })).toBe(false);
  expect(hasFilters({ ...EMPTY_QUERY, tag: 'draft' })).toBe(true);
});

it('asks the server for whole days and for each of several names', () => {
  const { filter } = searchRequest({ ...EMPTY_QUERY, q: 'x', type: 'md, py,', to: '2026-01-31' }, 20);
  expect(filter.file_types).toEqual(['md', 'py']);
  expect(filter.since).toBeNull();
  expect(new Date(filter.until ?? '').getHours()).toBe(23);
});
