import { expect, it } from 'vitest';
import {
  allTemplates,
  BUILT_IN_TEMPLATES,
  templateSlug,
  parseTemplates,
  removeTemplate,
  addTemplate,
} from './templates';

it('gives a template a name that can be typed', () => {
  expect(templateSlug('  Weekly Letter / home ')).toBe('weekly-letter---home');
});

it('keeps own templates by name, replacing one of the same name', () => {
  const own = addTemplate(addTemplate(addTemplate([], 'b', '1'), 'a', '2'), 'B', '3');
  expect(own).toEqual([
    { name: 'a', text: '2' },
    { name: 'b', text: '3' },
  ]);
  expect(removeTemplate(own, 'a')).toHaveLength(1);
});

it('lists own templates first, and lets them replace a ready-made one', () => {
  const all = allTemplates([{ name: 'plan', text: 'mine' }]);
  expect(all[0]?.text).toBe('mine');
  expect(all).toHaveLength(BUILT_IN_TEMPLATES.length);
});

it('reads only templates from what was stored', () => {
  expect(parseTemplates([{ name: 'a', text: 'b' }, null, { name: 1, text: 'b' }, 'x'])).toHaveLength(1);
  expect(parseTemplates('x')).toEqual([]);
});
