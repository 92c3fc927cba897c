import { describe, expect, it } from 'vitest';
import { groupByKind, authorText, coverageText, sourceRounds, type Point, type Summary } from './summary';

const point = (kind: Point['kind'], text: string, rounds = [1]): Point => ({
  kind,
  text,
  rounds,
  round_ids: rounds.map((number) => `rnd_${number}`),
  sources: [],
  speakers: [],
});
const summary: Summary = {
  id: 'sum_1',
  round_number: 14,
  watermark: 12,
  points: [],
  key_decisions: [],
  created_entities: [],
  made_by: 'openai/small',
  created_at: '2026-03-01T10:00:00.000Z',
  undone_at: null,
};

describe('the points of a summary', () => {
  it('come by kind, what was decided first, in the order in which they were said', () => {
    const points = [point('topic', 'a'), point('decision', 'b'), point('topic', 'c')];
    expect(groupByKind(points).map((group) => [group.kind, group.points.map(({ text }) => text)])).toEqual([
      ['decision', ['b']],
      ['topic', ['a', 'c']],
    ]);
  });

  it('lead to each round once', () => {
    expect(sourceRounds(point('topic', 'a', [10, 2, 10]))).toEqual([
      { id: 'rnd_2', number: 2 },
      { id: 'rnd_10', number: 10 },
    ]);
  });
});

it('says how far it reaches', () => {
  expect(coverageText(summary)).toBe('Covers rounds 1–14. Rounds 1–12 reach the models by it alone.');
  expect(coverageText({ ...summary, round_number: 1, watermark: 0 })).toBe(
    'Covers round 1. No round is compressed.',
  );
});

it('says who made it', () => {
  expect(authorText(summary, 'today')).toBe('Written by small, today');
  expect(authorText(summary, 'today', 'Small One')).toBe('Written by Small One, today');
  expect(authorText({ ...summary, made_by: 'extractive' }, 'today')).toContain('own sentences, today');
});
