import { expect, it } from 'vitest';
import { quickAddDefaults } from './quickAddDefaults';

it('puts a new task where the list is', () => {
  expect(quickAddDefaults({ status: ['backlog', 'blocked'], text: 'x' })).toEqual({});
  expect(quickAddDefaults({ status: ['done'] })).toEqual({});
  expect(
    quickAddDefaults({ status: ['blocked'], project_id: 'prj_1', phase_id: 'pha_1', tag: 'home' }),
  ).toEqual({ status: 'blocked', project_id: 'prj_1', phase_id: 'pha_1', tags: ['home'] });
});
