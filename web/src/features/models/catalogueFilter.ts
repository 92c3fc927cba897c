/** The catalogue as a table: what is looked for, in which order. */
import type { Model } from './catalogue.svelte';

export type Column = 'title' | 'connection' | 'tier' | 'window' | 'output_limit' | 'input' | 'output';

export interface SortOrder {
  readonly column: Column;
  readonly down: boolean;
}

export interface CatalogueFilter {
  readonly text: string;
  readonly tier: string;
  readonly connection: string;
}

const TIERS = ['smart', 'balanced', 'fast', 'cheap'];

/** The models that fit every word, the tier and the connection; empty choices let all through. */
export function filterModels(models: readonly Model[], sieve: CatalogueFilter): Model[] {
  const wanted = sieve.text.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(
    (model) =>
      (!sieve.tier || model.tier === sieve.tier) &&
      (!sieve.connection || model.connection === sieve.connection) &&
      wanted.every((word) => searched(model).includes(word)),
  );
}

/** Sort by a column; what is unknown comes last either way, and equals stay by name. */
export function sortModels(models: readonly Model[], { column, down }: SortOrder): Model[] {
  const sign = down ? -1 : 1;
  return [...models].sort((left, right) => {
    const [a, b] = [rank(left, column), rank(right, column)];
    if (a === null || b === null) return Number(a === null) - Number(b === null) || byTitle(left, right);
    const difference = typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b);
    return sign * difference || byTitle(left, right);
  });
}

/** The order after a click on a column: the same one turns round. */
export function toggleSort(order: SortOrder, column: Column): SortOrder {
  return order.column === column ? { column, down: !order.down } : { column, down: false };
}

function rank(model: Model, column: Column): string | number | null {
  if (column === 'tier') return TIERS.indexOf(model.tier);
  if (column === 'input' || column === 'output') return priceOf(model, column);
  return model[column];
}

/** Dollars for a million tokens; null when nobody knows. */
export function priceOf(model: Model, side: 'input' | 'output'): number | null {
  return model.prices?.[side] ?? (model.local ? 0 : null);
}

const searched = (model: Model): string =>
  [model.title, model.id, model.connection, model.tier, ...model.abilities].join(' ').toLowerCase();

const byTitle = (a: Model, b: Model): number => a.title.localeCompare(b.title) || a.id.localeCompare(b.id);
