import { describe, expect, it } from 'vitest';
import { toCsv, isNumericCell } from './csv';

describe('a table', () => {
  it('knows what is read from its right end', () => {
    expect(['0', '-1.5', '1,204', '3e-7', '12%', '.5', 'NaN', ''].every(isNumericCell)).toBe(true);
    expect(['a', '-', '.', '1 of 3', '2026-01-02', '=1+1'].some(isNumericCell)).toBe(false);
  });

  it('goes to a spreadsheet whole, and starts nothing there', () => {
    const rows = [
      ['Quince, "late"', '-4.5'],
      ['=HYPERLINK("http://x")', '@a'],
      ['two\nlines', '-not a number'],
    ];
    expect(toCsv({ columns: ['plant', 'n'], rows })).toBe(
      [
        'plant,n',
        '"Quince, ""late""",-4.5',
        `"'=HYPERLINK(""http://x"")",'@a`,
        `"two\nlines",'-not a number`,
        '',
      ].join('\r\n'),
    );
  });
});
