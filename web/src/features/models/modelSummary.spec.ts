import { expect, it } from 'vitest';
import { groupByConnection, modelSummary, priceSummary } from './modelSummary';

const prices = (input: number, output: number) => ({ input, output, cached_input: null, cache_write: null });

it('says what is known of a model in one line', () => {
  expect(modelSummary({ tier: 'smart', window: 200_000, prices: prices(3, 15) })).toBe(
    'smart · 200k tokens · $3 in, $15 out',
  );
  expect(modelSummary({ tier: 'cheap', window: 8_192, prices: prices(0, 0) })).toContain('free');
  expect(priceSummary(prices(0.25, 1.5))).toBe('$0.25 in, $1.5 out');
  expect(priceSummary(null)).toBe('');
});

it('groups models by connection, in order', () => {
  const models = ['b', 'a', 'b'].map((connection) => ({ connection }));
  expect(groupByConnection(models).map(([name, list]) => [name, list.length])).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
});
