import { describe, expect, it } from 'vitest';
import { barSegments } from './sections';

const sections = [
  { kind: 'system', tokens: 300 },
  { kind: 'summary', tokens: 0 },
  { kind: 'rounds', tokens: 100 },
] as const;

describe('a bar of sections', () => {
  it('is full where it stands for nothing larger', () => {
    expect(barSegments(sections).map(({ kind, share }) => [kind, share])).toEqual([
      ['system', 0.75],
      ['rounds', 0.25],
    ]);
  });

  it('leaves free what the limit leaves', () => {
    expect(barSegments(sections, 1000).map(({ share }) => share)).toEqual([0.3, 0.1]);
  });

  it('never runs over, even when there is more than the limit', () => {
    const shares = barSegments(sections, 200).map(({ share }) => share);
    expect(shares.reduce((sum, share) => sum + share)).toBe(1);
  });

  it('is empty where there is nothing', () => {
    expect(barSegments([])).toEqual([]);
  });
});
