import { expect, it } from 'vitest';
import { effortsFor, seatsOf } from './preset-seats';

const before = { models: ['a', 'b', 'a'], efforts: ['high', null, 'low'] as ('high' | 'low' | null)[] };

it('says how long each model thinks, where that is said', () => {
  expect(seatsOf(before)).toEqual(['a (high)', 'b', 'a (low)']);
  expect(seatsOf({ models: ['a'], efforts: [] }, (model) => model.toUpperCase())).toEqual(['A']);
});

it('lets every model keep its effort when others come, go or move', () => {
  expect(effortsFor(['b', 'a'], before)).toEqual([null, 'high']);
  expect(effortsFor(['a', 'c', 'a', 'a'], before)).toEqual(['high', null, 'low', null]);
  expect(effortsFor(['a'], { models: ['a'], efforts: [] })).toEqual([null]);
});
