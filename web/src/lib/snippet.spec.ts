import { expect, it } from 'vitest';
import { highlightSnippet } from './snippet';

const marked = (passage: string, query: string) =>
  highlightSnippet(passage, query)
    .filter((piece) => piece.hit)
    .map((piece) => piece.text);
const whole = (passage: string, query: string) =>
  highlightSnippet(passage, query)
    .map((piece) => piece.text)
    .join('');

it('marks the words that were asked for, also as the beginning of a longer one', () => {
  expect(marked('The budget holds. Budgets differ; nobudget.', 'budget')).toEqual(['budget', 'Budget']);
  expect(marked('größer als Größe', 'GRÖßE')).toEqual(['größe', 'Größe']);
});

it('marks short words only where they stand alone', () => {
  expect(marked('The theory of them: the end.', 'the')).toEqual(['The', 'the']);
});

it('keeps every character of a short passage', () => {
  expect(whole('one  two\nthree', 'two')).toBe('one two three');
});

it('begins near the first match of a long passage, and says that it was cut', () => {
  const text = whole(`${'before '.repeat(100)}needle ${'after '.repeat(100)}`, 'needle');
  expect(text).toContain('needle');
  expect(text.length).toBeLessThan(240);
  expect(text.startsWith('…')).toBe(true);
  expect(text.endsWith('…')).toBe(true);
});

it('takes any text as a query', () => {
  expect(whole('f(x) = [1]', '(*)[ \\ a')).toBe('f(x) = [1]');
  expect(marked('a.b(c)', '.*')).toEqual([]);
});
