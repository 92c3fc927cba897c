import { expect, it } from 'vitest';
import { groupEntities } from './entityGroups';
import type { Entity } from './requests';

const entity = (type: Entity['type'], value: string, replaced_by: string | null = null): Entity =>
  ({ id: value, type, value, replaced_by }) as Entity;

it('puts people first, and leaves out what nobody mentioned', () => {
  const groups = groupEntities([entity('date', 'Monday'), entity('person', 'Mara'), entity('date', 'May')]);
  expect(groups.map(({ type, entities }) => [type, entities.map(({ value }) => value)])).toEqual([
    ['person', ['Mara']],
    ['date', ['Monday', 'May']],
  ]);
});

it('leaves out what something else took the place of', () => {
  expect(groupEntities([entity('phone', '1', '2'), entity('phone', '2')])[0]?.entities).toHaveLength(1);
});
