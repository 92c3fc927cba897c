// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { inlineHtml, inlineOf, lex } from './lexer';
import { linkReferences, type References } from './references';
import { sanitise } from './sanitise';

const sources: References = new Map([
  [1, { href: '/projects/p/files/f?lines=1-2', label: 'Source 1' }],
  [12, { href: '/c/x#r', label: 'Source 12' }],
]);

function linked(html: string): HTMLElement {
  const element = document.createElement('div');
  element.innerHTML = linkReferences(html, sources);
  return element;
}
const numbers = (html: string) =>
  [...linked(html).querySelectorAll<HTMLElement>('[data-reference]')].map((link) => link.textContent);

it('links the numbers that have a source', () => {
  expect(numbers('So it is [1], and so [12][1].')).toEqual(['1', '12', '1']);
  const anchor = linked('<em>x [12]</em>').querySelector('a');
  expect(anchor?.getAttribute('href')).toBe('/c/x#r');
  expect(anchor?.getAttribute('aria-label')).toBe('Source 12');
});

it('leaves every other number as it was written', () => {
  for (const html of ['a [2] b', '[1', '[ 1 ]', '[0001]']) {
    expect(numbers(html)).toEqual([]);
    expect(linked(html).textContent).toBe(html);
  }
});

it('links nothing inside code, links and formulas', () => {
  const html = '<code>a[1]</code><pre>[1]</pre><a href="/x">[1]</a><span data-math="inline">x[1]</span>';
  expect(numbers(html)).toEqual([]);
});

it('links no number whose bracket is escaped', () => {
  const paragraphs = lex('They wrote “so it is [1\\]”, and it is so [12].');
  const html = sanitise(paragraphs.map((paragraph) => inlineHtml(inlineOf(paragraph))).join(''));
  expect(numbers(html)).toEqual(['12']);
  expect(linked(html).textContent).toContain('so it is [1]”');
});

it('does the same once more without harm', () => {
  const once = linkReferences('one [1] two', sources);
  expect(linkReferences(once, sources)).toBe(once);
});
