/**
 * The end of a text that is still being written, made to look as it will: what was opened is closed, and
 * half of a mark is not shown.
 */
import { inlinePieces } from './lexer';

const PAIRED_MARKS = ['***', '**', '__', '~~', '*', '_'];

/** Return the last block of a text with its open marks closed. */
export function closeOpenMarks(text: string): string {
  const place = text.lastIndexOf('\n\n') + 1;
  const block = text.slice(place);
  if (isInsideFence(text) || /^( {4}|\t)/.test(block.replace(/^\n+/, ''))) return text;
  const last = inlinePieces(block).at(-1) ?? '';
  return text.slice(0, text.length - last.length) + closed(withoutHalfLink(last));
}

/** Tell whether a text ends inside a fenced block of code. */
export function isInsideFence(text: string): boolean {
  let fence = '';
  for (const line of text.split('\n')) {
    const mark = /^\s*(?:[-*+>]\s+|\d+[.)]\s+)*(`{3,}|~{3,})(.*)$/.exec(line);
    if (!mark?.[1]) continue;
    if (!fence) fence = mark[1];
    else if (mark[1].startsWith(fence) && !mark[2]?.trim()) fence = '';
  }
  return fence !== '';
}

/** A link or picture of which only the beginning is there shows its words alone. */
function withoutHalfLink(block: string): string {
  return block
    .replace(/!\[[^\]\n]*(?:\](?:\([^)\n]*)?)?$/, '')
    .replace(/(?<!!)\[([^\]\n]+)\]\([^)\n]*$/, '$1')
    .replace(/<[a-z/][^<>\n]*$/i, '');
}

function closed(block: string): string {
  const ticks = openTicks(block);
  if (ticks) return block.endsWith(ticks) ? block.slice(0, -ticks.length) : block + ticks;
  const words = block.replace(/(`+)[^]*?\1/g, (code) => 'x'.repeat(code.length));
  const loose = /(?<=\S)[ \t]+[*_~]{1,3}$/.exec(words);
  if (loose) return closed(block.slice(0, loose.index));
  const open = openMarks(words);
  const last = open.at(-1);
  const tail = /[*_~]+$/.exec(words)?.[0] ?? '';
  // "**bold*": half of the closing mark is there already.
  const half =
    last && tail && last.length > tail.length && last.startsWith(tail) ? block.slice(0, -tail.length) : block;
  const trimmed = half.trimEnd();
  return open.length ? trimmed + open.toReversed().join('') : block;
}

function openTicks(block: string): string {
  let open = '';
  for (const [run] of block.matchAll(/(?<!\\)`+/g)) {
    if (!open) open = run;
    else if (run === open) open = '';
  }
  return open;
}

function openMarks(words: string): string[] {
  const open: string[] = [];
  let place = 0;
  while (place < words.length) {
    const mark =
      words[place] === '\\' ? undefined : PAIRED_MARKS.find((pair) => words.startsWith(pair, place));
    if (!mark) place += words[place] === '\\' ? 2 : 1;
    else {
      const before = words[place - 1] ?? ' ';
      const after = words[place + mark.length] ?? ' ';
      if (open.at(-1) === mark && /\S/.test(before)) open.pop();
      else if (opens(mark, before, after)) open.push(mark);
      place += mark.length;
    }
  }
  return open;
}

/** A mark before a blank opens nothing ("2 * 3", a list's bullet), nor does an underscore in a word. */
const opens = (mark: string, before: string, after: string): boolean =>
  /\S/.test(after) && !(mark.includes('_') && /\w/.test(before));
