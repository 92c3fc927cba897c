import { expect, it } from 'vitest';
import { allTemplates, READY, slug, templatesFrom, withoutTemplate, withTemplate } from './templates';

it('gives a template a name that can be typed', () => {
  expect(slug('  Weekly Letter / home ')).toBe('weekly-letter---home');
});

it('keeps own templates by name, replacing one of the same name', () => {
  const own = withTemplate(withTemplate(withTemplate([], 'b', '1'), 'a', '2'), 'B', '3');
  expect(own).toEqual([
    { name: 'a', text: '2' },
    { name: 'b', text: '3' },
  ]);
  expect(withoutTemplate(own, 'a')).toHaveLength(1);
});

it('lists own templates first, and lets them replace a ready-made one', () => {
  const all = allTemplates([{ name: 'plan', text: 'mine' }]);
  expect(all[0]?.text).toBe('mine');
  expect(all).toHaveLength(READY.length);
});

it('reads only templates from what was stored', () => {
  expect(templatesFrom([{ name: 'a', text: 'b' }, null, { name: 1, text: 'b' }, 'x'])).toHaveLength(1);
  expect(templatesFrom('x')).toEqual([]);
});
