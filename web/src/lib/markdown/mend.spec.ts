import { describe, expect, it } from 'vitest';
import { insideFence, mended } from './mend';

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
    expect(mended(text)).toBe(shown);
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
    expect(mended(text)).toBe(text);
  });

  it('touches the last block only', () => {
    expect(mended('a **b\n\nc *d')).toBe('a **b\n\nc *d*');
  });

  it('knows whether a fence is open', () => {
    expect(insideFence('```\na')).toBe(true);
    expect(insideFence('```\na\n```')).toBe(false);
    expect(insideFence('````\n```\n')).toBe(true);
    expect(insideFence('- a\n  ```py\n  x')).toBe(true);
  });
});
