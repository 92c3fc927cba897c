/** A summary as it is read: by what its points are about, the most binding first. */
import type { Schemas } from '$api/client';
import { words } from './texts';

export type Summary = Schemas['SummaryView'];
export type Point = Schemas['PointView'];
export type PointKind = Schemas['PointKind'];

/** What a summary says it was made by when no model had a part in it. */
const EXTRACTIVE = 'extractive';
const POINT_KIND_ORDER: readonly PointKind[] = [
  'decision',
  'preference',
  'commitment',
  'created',
  'question',
  'entity',
  'topic',
  'kept',
];

/** The points by kind, without kinds that have none. */
export function groupByKind(points: readonly Point[]): { kind: PointKind; points: Point[] }[] {
  return POINT_KIND_ORDER.map((kind) => ({
    kind,
    points: points.filter((point) => point.kind === kind),
  })).filter((group) => group.points.length > 0);
}

export interface SourceRound {
  readonly id: string;
  readonly number: number;
}

/** The rounds that a point comes from, each once, in order. */
export function sourceRounds({ rounds, round_ids }: Point): SourceRound[] {
  const places = new Map(round_ids.map((id, at) => [id, { id, number: rounds[at] ?? 0 }]));
  return [...places.values()].sort((a, b) => a.number - b.number);
}

/** Who made a summary, and when. */
export function authorText({ made_by }: Summary, when: string, title?: string): string {
  if (made_by === EXTRACTIVE) return words.extracted(when);
  return words.madeBy(title ?? made_by.split('/').at(-1) ?? made_by, when);
}

/** How far a summary reaches, and how much of that is compressed. */
export const coverageText = ({ round_number, watermark }: Summary): string =>
  `${words.covers(round_number)} ${watermark > 0 ? words.stands(watermark) : words.verbatim}`;
