/** A model in one line: how good it is, how much it reads and what it costs. */
import type { Model } from './catalogue.svelte';
import { formatTokens } from '$lib/format';

/** The connection of the models that come with Tertulia. */
export const BUILT_IN_CONNECTION = 'builtin';

type Described = Pick<Model, 'tier' | 'window' | 'prices'>;

export function modelSummary(model: Described): string {
  return [model.tier, `${formatTokens(model.window)} tokens`, priceSummary(model.prices)]
    .filter(Boolean)
    .join(' · ');
}

/** Dollars in and out for a million tokens; nothing when the price is not known. */
export function priceSummary(prices: Model['prices']): string {
  if (!prices) return '';
  return prices.input + prices.output === 0
    ? 'free'
    : `${dollars(prices.input)} in, ${dollars(prices.output)} out`;
}

/** Models by their connection, in the order of the catalogue. */
export function groupByConnection<T extends { connection: string }>(models: readonly T[]): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const model of models) groups.set(model.connection, [...(groups.get(model.connection) ?? []), model]);
  return [...groups];
}

const dollars = (amount: number): string => `$${Number(amount.toFixed(2))}`;
