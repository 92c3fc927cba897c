import { describe, expect, it } from 'vitest';
import { fuzzyMatch, splitByMatch, rankByMatch } from './fuzzyMatch';

const order = (query: string, ...texts: string[]) => rankByMatch(query, texts, (text) => text);

describe('what is found', () => {
  it('all letters in order, or nothing', () => {
    expect(fuzzyMatch('nc', 'New conversation')?.places).toEqual([0, 4]);
    expect(fuzzyMatch('cn', 'New c')).toBeNull();
    expect(fuzzyMatch('longer than it', 'short')).toBeNull();
  });

  it('without regard to case, accents and spaces', () => {
    expect(fuzzyMatch('CAFE', 'Au café')?.places).toEqual([3, 4, 5, 6]);
    expect(fuzzyMatch('dark theme', 'Dark theme')).not.toBeNull();
    expect(fuzzyMatch('darktheme', 'Dark theme')).not.toBeNull();
  });

  it('no query finds everything, in the order it was', () => {
    expect(order('', 'b', 'a')).toEqual(['b', 'a']);
  });

  it('characters outside the basic plane count as one', () => {
    expect(fuzzyMatch('tea', '🫖 tea')?.places).toEqual([2, 3, 4]);
  });
});

describe('what comes first', () => {
  it('the start of the text before the middle of a word', () => {
    expect(order('set', 'Reset the lamp', 'Settings')).toEqual(['Settings', 'Reset the lamp']);
  });

  it('the starts of words before letters inside them', () => {
    expect(order('gh', 'Night owls', 'Garden house')[0]).toBe('Garden house');
  });

  it('letters in a row before scattered ones', () => {
    expect(order('port', 'A plan or it', 'My portfolio')[0]).toBe('My portfolio');
  });

  it('the shorter of two that match alike', () => {
    expect(order('model', 'Models of the world', 'Models')[0]).toBe('Models');
  });

  it('the best place in a text counts, not the first', () => {
    expect(fuzzyMatch('in', 'lion inn')?.places).toEqual([5, 6]);
  });
});

it('a text is cut where it was found', () => {
  expect(splitByMatch('Garden', [0, 1, 3])).toEqual([
    { text: 'Ga', found: true },
    { text: 'r', found: false },
    { text: 'd', found: true },
    { text: 'en', found: false },
  ]);
});
