import { expect, it } from 'vitest';
import { testOutcome } from './testOutcome';

it('says how trying a tool went', () => {
  expect(testOutcome({ ok: true, attempted: 3, failed: 0 })).toEqual({
    good: true,
    text: 'All 3 examples work.',
  });
  expect(testOutcome({ ok: true, attempted: 0, failed: 0 }).text).toContain('no examples');
  expect(testOutcome({ ok: false, attempted: 3, failed: 2 })).toEqual({
    good: false,
    text: '2 of 3 examples fail.',
  });
  expect(testOutcome({ ok: false, attempted: null, failed: null })).toEqual({
    good: false,
    text: 'It does not run.',
  });
});
