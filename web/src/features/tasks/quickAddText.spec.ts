import { expect, it } from 'vitest';
import { findMember, parseQuickAdd } from './quickAddText';
import type { Member } from './requests';

const member = (name: string, email: string): Member => ({ user_id: email, name, email }) as Member;
const ada = member('Ada Lovelace', 'ada@example.org');
const zoe = member('Zoë Ada', 'zoe@example.org');
const members = [ada, zoe];

it('takes a line apart, and leaves the day to those who can read it', () => {
  expect(
    parseQuickAdd('Call the harbour tomorrow !high #work #call @lovelace for 30 minutes', members),
  ).toEqual({
    rest: 'Call the harbour tomorrow',
    priority: 'high',
    tags: ['work', 'call'],
    assignee: ada,
    unknown: '',
    minutes: 30,
  });
});

it.each([
  ['for 45 min', 45],
  ['for 2 hours', 120],
  ['for 1.5 hours', 90],
  ['for 1,5 h', 90],
  ['for 1h30', 90],
  ['for 2 hours and 15 minutes', 135],
  ['for an hour', 60],
  ['for an hour and a half', 90],
  ['for half an hour', 30],
])('reads a duration: %s', (words, minutes) => {
  expect(parseQuickAdd(`Write ${words} tomorrow`)).toMatchObject({ rest: 'Write tomorrow', minutes });
});

it('leaves words that only look alike', () => {
  const text = 'Wait for 3 people at gate #42, C# and mail a@b.org!';
  expect(parseQuickAdd(text, members)).toMatchObject({ rest: text, minutes: null, tags: [], assignee: null });
});

it('says who is nobody, and keeps the words', () => {
  expect(parseQuickAdd('Ask @bob', members)).toMatchObject({ rest: 'Ask @bob', unknown: 'bob' });
});

it('finds people by what is clear', () => {
  expect(findMember('zoe', members)).toBe(zoe);
  expect(findMember('ADA', members)).toBe(null);
  expect(findMember('adalovelace', members)).toBe(ada);
  expect(findMember('love', members)).toBe(ada);
  expect(findMember('x', members)).toBe(null);
});

it('takes the last word on how much it matters', () => {
  expect(parseQuickAdd('!low Paint !high').priority).toBe('high');
});
