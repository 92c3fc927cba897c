import { describe, expect, it } from 'vitest';
import { isInsideFence, closeOpenMarks } from './openMarks';

describe('the end of a text that goes on', () => {
  it.each([
    ['some **bold', 'some **bold**'],
    ['some **bold*', 'some **bold**'],
    ['some **', 'some'],
    ['an *old', 'an *old*'],
    ['~~gone', '~~gone~~'],
    ['**a *b', '**a *b***'],
    ['a `co', 'a `co`'],
    ['a `', 'a '],
    ['``a`b', '``a`b``'],
    ['see [the docs](https://exa', 'see the docs'],
    ['see ![a picture](https://exa', 'see '],
    ['a <span tit', 'a '],
  ])('%s is shown as %s', (text, shown) => {
    expect(closeOpenMarks(text)).toBe(shown);
  });

  it.each([
    '2 * 3',
    'snake_case',
    '* item',
    '**done** and *well*',
    '`a * b`',
    '1 < 2',
    '```js\nconst a = "**',
    'a \\*b',
    '[x](y) z',
  ])('%s stays as it is', (text) => {
    expect(closeOpenMarks(text)).toBe(text);
  });

  it('touches the last block only', () => {
    expect(closeOpenMarks('a **b\n\nc *d')).toBe('a **b\n\nc *d*');
  });

  it('knows whether a fence is open', () => {
    expect(isInsideFence('```\na')).toBe(true);
    expect(isInsideFence('```\na\n```')).toBe(false);
    expect(isInsideFence('````\n```\n')).toBe(true);
    expect(isInsideFence('- a\n  ```py\n  x')).toBe(true);
  });
});
