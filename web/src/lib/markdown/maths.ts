/** Where maths begins and ends in a text: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`, and not in "$5 or $10". */
export interface Formula {
  /** All of it, with its marks. */
  readonly raw: string;
  readonly tex: string;
  readonly display: boolean;
}

const INLINE: readonly [RegExp, boolean][] = [
  [/^\$\$(?!\$)((?:\\[^]|[^\\$])+?)\$\$(?!\$)/, true],
  // As in Pandoc: no blank inside the marks, and no digit or letter after the last one.
  [/^\$(?![\s$])((?:\\[^\n]|[^\\$\n])*?(?:\\[^\n]|[^\\$\n\s]))\$(?![\w$])/, false],
  [/^\\\(((?:(?!\\\))[^])+?)\\\)/, false],
  [/^\\\[((?:(?!\\\])[^])+?)\\\]/, true],
];
const BLOCK = [
  /^ {0,3}\$\$(?!\$)((?:\\[^]|[^\\$])+?)\$\$[ \t]*(?:\n+|$)/,
  /^ {0,3}\\\[((?:(?!\\\])[^])+?)\\\][ \t]*(?:\n+|$)/,
];
const OPEN_BLOCK = /^ {0,3}(?:\$\$(?!\$)|\\\[)([^]*)$/;
const START = /(?<![\\\w$])\$(?!\s)|(?<!\\)\\[([]/;

/** Return the formula with which a text begins. */
export function inlineFormula(text: string): Formula | null {
  for (const [pattern, display] of INLINE) {
    const found = pattern.exec(text);
    if (found?.[1]?.trim()) return { raw: found[0], tex: found[1].trim(), display };
  }
  return null;
}

/** Return the formula with which a text begins when it stands on lines of its own. */
export function blockFormula(text: string): Formula | null {
  for (const pattern of BLOCK) {
    const found = pattern.exec(text);
    if (found?.[1]?.trim()) return { raw: found[0], tex: found[1].trim(), display: true };
  }
  return null;
}

/** Return what a text has of a formula on its own lines that is not finished. */
export const openFormula = (text: string): string | null =>
  blockFormula(text) ? null : (OPEN_BLOCK.exec(text)?.[1] ?? null);

/** Return where a formula may begin, or -1. */
export const formulaStart = (text: string): number => text.search(START);
