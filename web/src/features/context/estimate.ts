/** What would be sent, in numbers that can be read at a glance. */
import { formatPrice, formatTokens } from '$lib/format';
import type { LaneEstimate } from './meter';
import { words } from './texts';

export interface EstimateTotal {
  /** How many models would be asked. */
  readonly lanes: number;
  readonly tokens: number;
  /** Dollars for reading, where prices are known. */
  readonly input: number;
  /** Dollars for the longest replies, where prices are known. */
  readonly reply: number;
  /** Of how many models the price is not known. */
  readonly unpriced: number;
}

/** Add up the lanes that can be asked. */
export function sumEstimates(lanes: readonly LaneEstimate[]): EstimateTotal {
  const asked = lanes.filter(({ plan }) => plan !== null);
  return {
    lanes: asked.length,
    tokens: sumOf(asked.map(({ plan }) => plan?.tokens ?? 0)),
    input: sumOf(asked.map(({ cost_input }) => cost_input ?? 0)),
    reply: sumOf(asked.map((lane) => replyCost(lane) ?? 0)),
    unpriced: asked.filter((lane) => replyCost(lane) === null).length,
  };
}

/** Say it in one line: tokens, what reading them costs, and what the replies cost at most. */
export function estimateText({ lanes, tokens: count, input, reply, unpriced }: EstimateTotal): string {
  const shown = formatTokens(count);
  const size = lanes === 1 ? words.about(shown) : words.aboutAll(shown, lanes);
  if (unpriced === lanes) return `${size} · ${words.noPrice}`;
  const cost = costText(input, reply, lanes === 1 ? words.reply : words.replies);
  return [size, cost, ...(unpriced ? [words.unpriced(unpriced)] : [])].join(' · ');
}

/** Say what one lane costs, or all of them. */
export function costText(
  input: number | null,
  reply: number | null,
  say: (price: string) => string = words.reply,
): string {
  if (input === null || reply === null) return '';
  return input === 0 && reply === 0 ? words.free : `${formatPrice(input)} + ${say(formatPrice(reply))}`;
}

/** Dollars for the longest reply alone. */
export const replyCost = ({ cost_input, cost_most }: LaneEstimate): number | null =>
  cost_input === null || cost_most === null ? null : cost_most - cost_input;

/** The lanes that could not be asked, with what the server says of them. */
export const failedLanes = (lanes: readonly LaneEstimate[]): { lane: LaneEstimate; says: string }[] =>
  lanes.flatMap((lane) => (lane.problem ? [{ lane, says: lane.problem.message }] : []));

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, value) => sum + value, 0);
