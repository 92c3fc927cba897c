/** Who sits at the table: pure, and every change gives a new table. */
import type { Round, Schemas } from '$api/client';
import { findModel } from '$features/models/modelReference';
import { BUILT_IN_CONNECTION } from '$features/models/modelSummary';

export type Effort = Schemas['Effort'];
type Model = Pick<Schemas['ModelView'], 'id' | 'connection' | 'name' | 'tier'>;

/** One model that is asked; the same model may have several seats. */
export interface Seat {
  readonly model: string;
  readonly effort: Effort | null;
}
export type Table = readonly Seat[];

export const EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];
const TIERS = ['smart', 'balanced', 'fast', 'cheap'];

/** A table of models that think as much as is said, else as they like. */
export const tableOf = (models: readonly string[], efforts: readonly (Effort | null)[] = []): Table =>
  models.map((model, place) => ({ model, effort: efforts[place] ?? null }));

export const addSeat = (table: Table, model: string): Table => [...table, { model, effort: null }];

export const removeSeat = (table: Table, place: number): Table => table.filter((_, index) => index !== place);

/** Move a seat; a place beyond either end changes nothing. */
export function moveSeat(table: Table, from: number, to: number): Table {
  const seat = table[from];
  if (!seat || from === to || to < 0 || to >= table.length) return table;
  return removeSeat(table, from).toSpliced(to, 0, seat);
}

export const setEffort = (table: Table, place: number, effort: Effort | null): Table =>
  table.map((seat, index) => (index === place ? { ...seat, effort } : seat));

/** The lane of each seat, as the server names them: the second seat of `a` is `a#2`. */
export function laneNames(table: Table): string[] {
  return table.map((seat, index) => {
    const nth = table.slice(0, index + 1).filter((other) => other.model === seat.model).length;
    return nth === 1 ? seat.model : `${seat.model}#${nth}`;
  });
}

/** The table that was asked in a round; without one, nobody was. */
export const tableOfRound = (round: Pick<Round, 'replies'> | undefined): Table =>
  (round?.replies ?? [])
    .filter((reply) => reply.kind === 'answer' && reply.attempt === 1)
    .map((reply) => ({ model: reply.model, effort: reply.effort }));

/** Tell whether something that was stored is a table. */
export function isTable(value: unknown): value is Table {
  return Array.isArray(value) && value.every(isSeat);
}

/** Tell whether something that was stored is a seat. */
export function isSeat(value: unknown): value is Seat {
  const seat = value as Partial<Seat> | null;
  return typeof seat?.model === 'string' && (seat.effort === null || EFFORTS.includes(seat.effort as Effort));
}

/** The best model of each of the first two connections; without any, all that is built in. */
export function suggestTable(models: readonly Model[]): Table {
  const connected = models.filter((model) => model.connection !== BUILT_IN_CONNECTION);
  if (connected.length === 0) return tableOf(models.map((model) => model.id));
  const connections = [...new Set(connected.map((model) => model.connection))].slice(0, 2);
  return tableOf(connections.map((connection) => best(connected, connection)));
}

/**
 * The first of the given tables that has someone who can be asked; null when there is none.
 * Without a catalogue nobody knows who can be asked, and the first table is taken as it is.
 */
export function firstAvailableTable(
  liked: readonly (Table | null)[],
  models: readonly Model[],
): Table | null {
  if (models.length === 0) return liked.find((table) => table?.length) ?? null;
  for (const table of liked) {
    const present = table?.filter((seat) => findModel(models, seat.model)) ?? [];
    if (present.length) return present;
  }
  return null;
}

/** The models of a table that are not among those there are; none as long as nobody knows these. */
export function unlistedModels(table: Table, models: readonly Model[]): readonly string[] {
  if (models.length === 0) return [];
  return [...new Set(table.map((seat) => seat.model))].filter((model) => !findModel(models, model));
}

function best(models: readonly Model[], connection: string): string {
  const own = models.filter((model) => model.connection === connection);
  const rank = (model: Model) => TIERS.indexOf(model.tier);
  return own.reduce((a, b) => (rank(b) < rank(a) ? b : a)).id;
}
