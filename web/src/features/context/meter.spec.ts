import { describe, expect, it } from 'vitest';
import {
  meterAdvice,
  usedShare,
  fullestLane,
  isNearlyFull,
  laneName,
  type LaneEstimate,
  type PromptPlan,
} from './meter';

const plan = (tokens: number, limit: number) => ({ tokens, limit }) as PromptPlan;
const lane = (name: string, of: PromptPlan | null): LaneEstimate => ({
  lane: name,
  model: name,
  plan: of,
  problem: of ? null : { code: 'question_too_long', message: 'Too long.' },
  cost_input: null,
  cost_most: null,
});
const meter = (used: number, limit: number) => ({
  used,
  limit,
  whole: used,
  threshold: 0.8 * limit,
  freed: 0,
  watermark: 0,
});

describe('how full it is', () => {
  it('never goes beyond the ring', () => {
    expect(usedShare(meter(500, 2000))).toBe(0.25);
    expect(usedShare(meter(5000, 2000))).toBe(1);
    expect(usedShare(meter(0, 0))).toBe(0);
  });

  it('warns from the threshold on', () => {
    expect(isNearlyFull(meter(1599, 2000))).toBe(false);
    expect(isNearlyFull(meter(1600, 2000))).toBe(true);
    expect(isNearlyFull(meter(0, 0))).toBe(false);
  });
});

describe('what there is to do', () => {
  const freeing = (used: number, freed: number) => meterAdvice({ ...meter(used, 2000), freed });

  it('is nothing while all fits', () => {
    expect(freeing(100, 0)).toContain('would free nothing');
  });

  it('is to compress, which comes by itself near the limit', () => {
    expect(freeing(1000, 400)).toBe('Compressing would free about 400 tokens.');
    expect(freeing(1700, 400)).toMatch(/^Older rounds are summarised soon.* about 400 tokens\.$/);
  });

  it('is to wait where rounds that no prompt shows any more fill the limit', () => {
    expect(meterAdvice({ ...meter(1000, 2000), whole: 1700 })).toMatch(/^Older rounds are summarised soon/);
  });

  it('is to raise the limit where only the last rounds are left', () => {
    expect(freeing(1700, 0)).toContain('raise the limit');
  });
});

describe('the fullest lane', () => {
  it('is the one with the largest part of its own limit, not with the most tokens', () => {
    const large = lane('large', plan(4000, 100_000));
    const small = lane('small', plan(3000, 4000));
    expect(fullestLane([large, small])).toBe(small);
  });

  it('can be asked: one with a problem is not looked at', () => {
    const asked = lane('asked', plan(10, 1000));
    expect(fullestLane([lane('not', null), asked])).toBe(asked);
    expect(fullestLane([lane('not', null)])).toBeNull();
    expect(fullestLane([])).toBeNull();
  });
});

it('names a lane by its model and which seat of it it is', () => {
  expect(laneName({ lane: 'openai/gpt', model: 'openai/gpt' }, 'GPT')).toBe('GPT');
  expect(laneName({ lane: 'openai/gpt#2', model: 'openai/gpt' }, 'GPT')).toBe('GPT #2');
  expect(laneName({ lane: 'openai/gpt', model: 'openai/gpt' })).toBe('gpt');
});
