import { describe, expect, it } from 'vitest';
import {
  addSeat,
  suggestTable,
  firstAvailableTable,
  isTable,
  laneNames,
  moveSeat,
  removeSeat,
  tableOf,
  setEffort,
  unlistedModels,
} from './table';

const model = (
  id: string,
  connection = 'openai',
  tier: 'smart' | 'balanced' | 'fast' | 'cheap' = 'smart',
) => ({
  id,
  connection,
  name: id,
  tier,
});

describe('a table', () => {
  it('seats the same model twice, in lanes of their own', () => {
    expect(laneNames(addSeat(tableOf(['a', 'b']), 'a'))).toEqual(['a', 'b', 'a#2']);
  });

  it('has as many seats as people like', () => {
    const long = tableOf(Array.from({ length: 30 }, (_, n) => `m${n}`));
    expect(addSeat(long, 'late')).toHaveLength(31);
    expect(isTable(long)).toBe(true);
  });

  it('moves a seat both ways, and nowhere beyond its ends', () => {
    const table = tableOf(['a', 'b', 'c']);
    expect(laneNames(moveSeat(table, 0, 2))).toEqual(['b', 'c', 'a']);
    expect(laneNames(moveSeat(table, 2, 1))).toEqual(['a', 'c', 'b']);
    expect(moveSeat(table, 0, -1)).toBe(table);
    expect(moveSeat(table, 2, 3)).toBe(table);
    expect(moveSeat(table, 7, 0)).toBe(table);
  });

  it('changes and removes one seat alone', () => {
    const table = setEffort(tableOf(['a', 'a']), 1, 'high');
    expect(table.map((seat) => seat.effort)).toEqual([null, 'high']);
    expect(removeSeat(table, 0)).toEqual([{ model: 'a', effort: 'high' }]);
  });

  it('is not whatever else was stored', () => {
    expect(isTable(tableOf(['a']))).toBe(true);
    for (const odd of [null, 'a', [null], [{ model: 1, effort: null }], [{ model: 'a', effort: 'extreme' }]])
      expect(isTable(odd)).toBe(false);
  });
});

describe('where a table starts', () => {
  it('takes the best model of each of two connections', () => {
    const models = [
      model('small', 'openai', 'cheap'),
      model('big', 'openai'),
      model('other', 'claude', 'fast'),
      model('third', 'gemini'),
      model('tiny', 'builtin', 'balanced'),
    ];
    expect(laneNames(suggestTable(models))).toEqual(['big', 'other']);
  });

  it('takes what is built in when nothing is connected', () => {
    expect(laneNames(suggestTable([model('x', 'builtin'), model('y', 'builtin')]))).toEqual(['x', 'y']);
  });

  it('prefers the first wish that can be met, without models that are gone', () => {
    const wishes = [null, tableOf(['gone']), tableOf(['gone', 'b']), tableOf(['a'])];
    expect(firstAvailableTable(wishes, [model('a'), model('b')])).toEqual(tableOf(['b']));
    expect(firstAvailableTable([tableOf(['gone'])], [model('a')])).toBeNull();
    expect(firstAvailableTable([tableOf(['openai/a'])], [model('a')])).toEqual(tableOf(['openai/a']));
  });

  it('names each model that is gone once, and none while nobody knows the models', () => {
    const wish = tableOf(['gone', 'a', 'openai/a', 'gone', 'lost']);
    expect(unlistedModels(wish, [model('a')])).toEqual(['gone', 'lost']);
    expect(unlistedModels(wish, [])).toEqual([]);
  });

  it('keeps the first wish as it is while nobody knows the models', () => {
    expect(firstAvailableTable([null, [], tableOf(['x'])], [])).toEqual(tableOf(['x']));
    expect(firstAvailableTable([null], [])).toBeNull();
  });
});
