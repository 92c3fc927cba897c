import { expect, it } from 'vitest';
import { ruleChoices } from './ruleChoices';

it('offers rules for a day, and keeps the one that is there', () => {
  const day = '2026-11-20';
  const offered = ruleChoices(day, 'FREQ=WEEKLY;BYDAY=FR;COUNT=3', 'Never');
  expect(offered[0]).toEqual({ value: '', label: 'Never' });
  expect(offered.filter(({ value }) => value === 'FREQ=WEEKLY;BYDAY=FR')).toHaveLength(1);
  expect(ruleChoices(day, 'FREQ=WEEKLY;BYDAY=MO,TH', 'Never')[1]).toEqual({
    value: 'FREQ=WEEKLY;BYDAY=MO,TH',
    label: 'Every week on Monday and Thursday',
  });
});
