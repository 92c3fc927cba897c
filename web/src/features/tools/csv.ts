/** Tables that tools give. */
import type { Schemas } from '$api/client';

const NUMBER = /^[-+]?(\d[\d,]*)?(\.\d+)?(e[-+]?\d+)?%?$/i;

/** Tell whether a cell is a number, or has none where its column has numbers. */
export function isNumericCell(cell: string): boolean {
  return cell === '' || cell === 'NaN' || cell === '<NA>' || (NUMBER.test(cell) && /\d/.test(cell));
}

/** A table as a spreadsheet reads it; no cell of it is taken for a formula. */
export function toCsv({ columns, rows }: Pick<Schemas['TableView'], 'columns' | 'rows'>): string {
  return [columns, ...rows].map((cells) => cells.map(csvCell).join(',') + '\r\n').join('');
}

function csvCell(text: string): string {
  const safe = /^[=+@\t\r-]/.test(text) && !isNumericCell(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
