import { expect, it } from 'vitest';
import { keepEfforts, seatLabels } from './presetSeats';

const before = { models: ['a', 'b', 'a'], efforts: ['high', null, 'low'] as ('high' | 'low' | null)[] };

it('says how long each model thinks, where that is said', () => {
  expect(seatLabels(before)).toEqual(['a (high)', 'b', 'a (low)']);
  expect(seatLabels({ models: ['a'], efforts: [] }, (model) => model.toUpperCase())).toEqual(['A']);
});

it('lets every model keep its effort when others come, go or move', () => {
  expect(keepEfforts(['b', 'a'], before)).toEqual([null, 'high']);
  expect(keepEfforts(['a', 'c', 'a', 'a'], before)).toEqual(['high', null, 'low', null]);
  expect(keepEfforts(['a'], { models: ['a'], efforts: [] })).toEqual([null]);
});
