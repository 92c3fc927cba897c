/** Lines that an address points at: `?lines=45-67`, or `?lines=45`. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

const LINE_RANGE = /^\s*L?(\d{1,9})(?:\s*[-–]\s*L?(\d{1,9}))?\s*$/i;

/** Read lines as written; null when none are meant. */
export function parseLineRange(written: string | null): LineRange | null {
  const found = LINE_RANGE.exec(written ?? '');
  if (!found) return null;
  const [from, to] = [Number(found[1]), Number(found[2] ?? found[1])];
  return from && to ? { from: Math.min(from, to), to: Math.max(from, to) } : null;
}

export const formatLineRange = ({ from, to }: LineRange): string =>
  from === to ? `${from}` : `${from}-${to}`;

export const includesLine = (range: LineRange | null, line: number): boolean =>
  range !== null && range.from <= line && line <= range.to;

/** Return lines from those marked to another one. */
export const extendRange = (range: LineRange | null, line: number): LineRange =>
  range ? { from: Math.min(range.from, line), to: Math.max(range.from, line) } : { from: line, to: line };
