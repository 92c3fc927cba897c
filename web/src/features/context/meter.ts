/** How full a conversation is, as a small ring and a few words say it. */
import type { Schemas } from '$api/client';
import { formatTokens } from '$lib/format';
import { words } from './texts';

export type ContextUsage = Schemas['ContextView'];
export type LaneEstimate = Schemas['EstimateView'];
export type PromptPlan = Schemas['PlanView'];
type Meter = Schemas['MeterView'];

/** The part of the limit that is used, between 0 and 1. */
export const usedShare = ({ used, limit }: Meter): number => (limit > 0 ? Math.min(1, used / limit) : 0);

/** Tell whether older rounds are about to be compressed. */
export const isNearlyFull = ({ used, threshold }: Meter): boolean => threshold > 0 && used >= threshold;

/** What there is to do about it, in a sentence: what no prompt shows any more counts until it is compressed. */
export function meterAdvice(meter: Meter): string {
  const soon = meter.threshold > 0 && meter.whole >= meter.threshold ? words.nearlyFull : '';
  if (meter.freed > 0) return [soon, words.frees(formatTokens(meter.freed))].join(' ').trim();
  return isNearlyFull(meter) ? words.onlyTheLast : soon || words.nothingFreed;
}

/** The lane whose prompt takes the largest part of what it may have; null where nobody can be asked. */
export function fullestLane(lanes: readonly LaneEstimate[]): LaneEstimate | null {
  const part = ({ plan }: LaneEstimate): number => (plan ? plan.tokens / plan.limit : -1);
  const planned = lanes.filter(({ plan }) => plan !== null);
  return planned.reduce<LaneEstimate | null>(
    (best, lane) => (best === null || part(lane) > part(best) ? lane : best),
    null,
  );
}

/** The name of a lane: the model's, and which seat of the same model it is. */
export function laneName({ lane, model }: Pick<LaneEstimate, 'lane' | 'model'>, title?: string): string {
  const seat = /#\d+$/.exec(lane)?.[0];
  const name = title ?? model.split('/').at(-1) ?? model;
  return seat ? `${name} ${seat}` : name;
}
