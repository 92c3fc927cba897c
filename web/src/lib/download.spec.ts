import { describe, expect, it } from 'vitest';
import { fileNameFor } from './download';

describe('the name of a file', () => {
  it.each([
    ['Keep: this', 'Keep this'],
    ['Keep/this', 'Keep this'],
    ['  a \n\t b  ', 'a b'],
    ['...hidden', 'hidden'],
    ['Is it?', 'Is it'],
    ['v1.2', 'v1.2'],
    ['gpj.\u202Eexe', 'gpj. exe'],
    ['Café 👩‍👧', 'Café 👩‍👧'],
  ])('of %j is %j', (text, name) => expect(fileNameFor(text, 'Untitled')).toBe(name));

  it.each(['', '???', ' . '])('of %j, of which nothing is left, is another', (text) =>
    expect(fileNameFor(text, 'Untitled')).toBe('Untitled'),
  );
});
