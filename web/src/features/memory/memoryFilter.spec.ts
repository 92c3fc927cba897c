import { expect, it } from 'vitest';
import { EMPTY_FILTER, isFiltered, memoryFilterHref, memoryQuery, parseMemoryFilter } from './memoryFilter';

const read = (address: string) => parseMemoryFilter(new URL(address, 'http://localhost').searchParams);

it('finds in an address what was written into it', () => {
  const filter = {
    ...EMPTY_FILTER,
    type: 'fact',
    status: 'archived',
    pinned: true,
    category: 'health & more',
    project: 'prj_1',
    text: 'a & b?',
  } as const;
  expect(read(memoryFilterHref(filter))).toEqual(filter);
  expect(memoryFilterHref(EMPTY_FILTER)).toBe('/memory');
});

it('leaves out what an address cannot mean', () => {
  expect(read('/memory?type=nonsense&status=proposed&pinned=perhaps')).toEqual(EMPTY_FILTER);
});

it('knows whether something narrows the list down', () => {
  expect(isFiltered(EMPTY_FILTER)).toBe(false);
  expect(isFiltered({ ...EMPTY_FILTER, pinned: true })).toBe(true);
});

it('asks for what is remembered unless something else is wanted', () => {
  expect(memoryQuery(EMPTY_FILTER)).toEqual({ status: ['active'] });
  expect(memoryQuery({ ...EMPTY_FILTER, status: 'superseded', type: 'fact' })).toEqual({
    status: ['superseded'],
    type: ['fact'],
  });
});

it('asks for what is of one category in one project', () => {
  expect(memoryQuery({ ...EMPTY_FILTER, category: 'health', project: 'prj_1' })).toEqual({
    status: ['active'],
    category: 'health',
    project_id: 'prj_1',
  });
});

it('asks for what is worth a second look among what is remembered', () => {
  expect(memoryQuery({ ...EMPTY_FILTER, status: 'review' })).toEqual({
    status: ['active'],
    needs_review: true,
  });
});

it('asks for one memory alone, whatever else is said', () => {
  expect(memoryQuery({ ...EMPTY_FILTER, id: 'mem_1', pinned: true })).toEqual({ id: 'mem_1' });
});
