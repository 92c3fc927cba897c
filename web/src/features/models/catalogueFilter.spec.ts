import { describe, expect, it } from 'vitest';
import type { Model } from './catalogue.svelte';
import { priceOf, filterModels, sortModels, toggleSort, type Column } from './catalogueFilter';

const model = (id: string, more: Partial<Model> = {}): Model => ({
  id,
  connection: 'openai',
  name: id,
  title: id,
  window: 128_000,
  output_limit: 16_000,
  tier: 'balanced',
  abilities: [],
  prices: null,
  local: false,
  stale: false,
  ...more,
});
const price = (input: number, output: number) => ({ input, output, cached_input: null, cache_write: null });

const models = [
  model('nova', { tier: 'smart', prices: price(3, 15), abilities: ['vision'] }),
  model('small', { connection: 'ollama', tier: 'cheap', window: 8192, local: true }),
  model('dark', { tier: 'fast' }),
  model('bolt', { tier: 'fast', prices: price(0.1, 0.4) }),
];
const all = { text: '', tier: '', connection: '' };
const ids = (list: Model[]) => list.map((entry) => entry.id);
const by = (column: Column, down = false) => ids(sortModels(models, { column, down }));

describe('looking for models', () => {
  it('lets everything through at first', () => expect(filterModels(models, all)).toHaveLength(4));

  it('wants every word, in any of the things that are shown', () => {
    expect(ids(filterModels(models, { ...all, text: 'Vision  nov' }))).toEqual(['nova']);
    expect(ids(filterModels(models, { ...all, text: 'nova fast' }))).toEqual([]);
  });

  it('filters by tier and connection', () => {
    expect(ids(filterModels(models, { ...all, tier: 'fast' }))).toEqual(['dark', 'bolt']);
    expect(ids(filterModels(models, { ...all, connection: 'ollama' }))).toEqual(['small']);
  });
});

describe('sorting models', () => {
  it('sorts by name both ways', () => {
    expect(by('title')).toEqual(['bolt', 'dark', 'nova', 'small']);
    expect(by('title', true)).toEqual(['small', 'nova', 'dark', 'bolt']);
  });

  it('sorts tiers from the most capable down, not by letter', () => {
    expect(by('tier')).toEqual(['nova', 'bolt', 'dark', 'small']);
  });

  it('keeps unknown prices last both ways', () => {
    expect(by('input')).toEqual(['small', 'bolt', 'nova', 'dark']);
    expect(by('input', true)).toEqual(['nova', 'bolt', 'small', 'dark']);
  });

  it('leaves the list it was given alone', () => {
    sortModels(models, { column: 'title', down: false });
    expect(ids(models)).toEqual(['nova', 'small', 'dark', 'bolt']);
  });

  it('turns round when the same column is chosen again', () => {
    expect(toggleSort({ column: 'title', down: false }, 'title')).toEqual({ column: 'title', down: true });
    expect(toggleSort({ column: 'title', down: true }, 'window')).toEqual({ column: 'window', down: false });
  });
});

it('knows that a local model costs nothing', () => {
  expect(priceOf(model('here', { local: true }), 'input')).toBe(0);
  expect(priceOf(model('there'), 'input')).toBeNull();
});
