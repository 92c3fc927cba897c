import { describe, expect, it } from 'vitest';
import { describeRule, joinRule, simpleRules, splitRule } from './recurrenceRules';

describe('a rule in words', () => {
  it.each([
    ['FREQ=DAILY', 'Every day'],
    ['FREQ=DAILY;INTERVAL=3', 'Every 3 days'],
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'Every weekday'],
    ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE', 'Every week on Monday and Wednesday'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=FR', 'Every 2 weeks on Friday'],
    ['FREQ=MONTHLY;BYMONTHDAY=21', 'Every month on the 21st'],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', 'Every month on the last day'],
    ['FREQ=MONTHLY;BYDAY=3FR', 'Every month on the third Friday'],
    ['FREQ=MONTHLY;BYDAY=-1MO', 'Every month on the last Monday'],
    ['FREQ=YEARLY', 'Every year'],
    ['FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU', 'Every year on the last Sunday in March'],
    ['FREQ=DAILY;COUNT=10', 'Every day, 10 times'],
    ['FREQ=WEEKLY;BYDAY=TU;UNTIL=20270303T235959Z', 'Every week on Tuesday, until 3 March 2027'],
  ])('%s', (rule, words) => expect(describeRule(rule)).toBe(words));

  it('stays as it is where words would leave something out', () => {
    expect(describeRule('FREQ=DAILY;BYHOUR=9,17')).toBe('FREQ=DAILY;BYHOUR=9,17');
    expect(describeRule('nonsense')).toBe('nonsense');
  });
});

it('offers rules that fit the day', () => {
  expect(simpleRules('2026-11-20').map(describeRule)).toEqual([
    'Every day',
    'Every weekday',
    'Every week on Friday',
    'Every 2 weeks on Friday',
    'Every month on the 20th',
    'Every month on the third Friday',
    'Every year',
  ]);
  expect(simpleRules('2026-11-30')).toContain('FREQ=MONTHLY;BYDAY=-1MO');
});

it('takes rules apart and puts them together', () => {
  for (const rule of ['FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=FR;COUNT=4', 'FREQ=DAILY;UNTIL=20270303T235959Z']) {
    const { base, end } = splitRule(rule);
    expect(joinRule(base, end, false)).toBe(rule);
  }
  expect(joinRule('FREQ=DAILY', { kind: 'day', day: '2027-03-03' }, true)).toBe('FREQ=DAILY;UNTIL=20270303');
  expect(joinRule('', { kind: 'count', count: 3 }, true)).toBe('');
});
