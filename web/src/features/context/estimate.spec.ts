import { describe, expect, it } from 'vitest';
import { costText, estimateText, sumEstimates, failedLanes } from './estimate';
import type { LaneEstimate, PromptPlan } from './meter';

const lane = (tokens: number, input: number | null, most: number | null): LaneEstimate => ({
  lane: 'a',
  model: 'a',
  plan: { tokens } as PromptPlan,
  problem: null,
  cost_input: input,
  cost_most: most,
});
const refused: LaneEstimate = {
  ...lane(0, null, null),
  plan: null,
  problem: { code: 'question_too_long', message: 'Shorten it.' },
};

describe('the line under the composer', () => {
  it('says tokens, the price of reading them, and the most that a reply costs', () => {
    expect(estimateText(sumEstimates([lane(1240, 0.0042, 0.3242)]))).toBe(
      '≈ 1,240 tokens · $0.0042 + reply up to $0.32',
    );
  });

  it('adds several models up', () => {
    const both = [lane(1000, 0.001, 0.101), lane(1200, 0.002, 0.202)];
    expect(estimateText(sumEstimates(both))).toBe(
      '≈ 2,200 tokens to 2 models · $0.003 + replies up to $0.30',
    );
  });

  it('says free where nothing is paid, and that a price is unknown where it is', () => {
    expect(estimateText(sumEstimates([lane(500, 0, 0)]))).toBe('≈ 500 tokens · free');
    expect(estimateText(sumEstimates([lane(500, null, null)]))).toBe('≈ 500 tokens · price unknown');
    expect(estimateText(sumEstimates([lane(500, 0.1, 0.2), lane(500, null, null)]))).toBe(
      '≈ 1,000 tokens to 2 models · $0.10 + replies up to $0.10 · one price unknown',
    );
  });

  it('leaves out who cannot be asked, and says why apart', () => {
    expect(sumEstimates([lane(500, 0, 0), refused])).toMatchObject({ lanes: 1, tokens: 500, input: 0 });
    expect(failedLanes([lane(500, 0, 0), refused])).toEqual([{ lane: refused, says: 'Shorten it.' }]);
    expect(sumEstimates([refused]).lanes).toBe(0);
  });
});

it('keeps enough digits of a small price', () => {
  expect(costText(0.000012, 0.00045)).toBe('$0.000012 + reply up to $0.00045');
});
