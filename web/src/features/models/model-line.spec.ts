import { expect, it } from 'vitest';
import { grouped, line, price } from './model-line';

const prices = (input: number, output: number) => ({ input, output, cached_input: null, cache_write: null });

it('says what is known of a model in one line', () => {
  expect(line({ tier: 'smart', window: 200_000, prices: prices(3, 15) })).toBe(
    'smart · 200k tokens · $3 in, $15 out',
  );
  expect(line({ tier: 'cheap', window: 8_192, prices: prices(0, 0) })).toContain('free');
  expect(price(prices(0.25, 1.5))).toBe('$0.25 in, $1.5 out');
  expect(price(null)).toBe('');
});

it('groups models by connection, in order', () => {
  const models = ['b', 'a', 'b'].map((connection) => ({ connection }));
  expect(grouped(models).map(([name, list]) => [name, list.length])).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
});
