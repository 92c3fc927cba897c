/** A long text cut into sections, each a text of its own that can be read and drawn without the others. */

/** A text with as much of either is drawn section by section. */
const LONG_TEXT_MIN_CHARS = 100_000;
const LONG_TEXT_MIN_LINES = 2_000;
/** From here on a section ends where a block does. */
const SECTION_MIN_CHARS = 2_000;
const SECTION_MIN_LINES = 40;
/** Here it ends at any line, or in the middle of one that is longer. */
export const SECTION_MAX_CHARS = 8_000;
export const SECTION_MAX_LINES = 200;
/** A formula takes as long to draw as many words: each of its two marks counts as so many characters. */
const FORMULA_MARK_CHARS = 60;
/** So many marks make a section of one line. */
const SECTION_MAX_MARKS = 120;
const FORMULA_MARK = /(?<!\\)(?:\$\$?|\\[()[\]])/g;
/** Links that are explained in one section are known in all, as far as they are few. */
const DEFINITIONS_MAX = 50;

const FENCE = /^\s*(?:[-*+>]\s+|\d+[.)]\s+)*(`{3,}|~{3,})(.*)$/;
const ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]/;
const DELIMITER_ROW = /^ {0,3}(?=.*-)(?=.*\|)[-:| \t]+$/;
const DEFINITION = /^ {0,3}\[[^\]]{1,200}\]:[ \t]*\S{1,2000}$/;

/** A block that is open where a section ends: what that one adds, and what the next one repeats. */
interface OpenBlock {
  readonly kind: 'fence' | 'table';
  readonly opening: string;
  readonly closing: string;
}

export interface CutText {
  readonly sections: readonly string[];
  /** The explanations of links that each section may need. */
  readonly definitions: string;
}

/** Tell whether a text is so long that it is drawn section by section. */
export function isLongText(text: string): boolean {
  if (text.length >= LONG_TEXT_MIN_CHARS) return true;
  let lines = 0;
  for (let place = text.indexOf('\n'); place >= 0; place = text.indexOf('\n', place + 1))
    if (++lines >= LONG_TEXT_MIN_LINES) return true;
  return false;
}

/** Cuts a text that may still grow: what is finished is neither read nor changed again. */
export class SectionCutter {
  #finished: string[] = [];
  #definitions: string[] = [];
  #read = '';
  #open: OpenBlock | null = null;

  /** Return the sections of a text, of which only whole lines are taken for what they are. */
  cut(text: string): CutText {
    const whole = text.replace(/\r\n?/g, '\n');
    if (!whole.startsWith(this.#read)) this.#forget();
    const last = this.#finish(whole);
    const rest = whole.slice(this.#read.length);
    const definitions = [...this.#definitions, ...last.definitions].slice(0, DEFINITIONS_MAX);
    return {
      sections: rest ? [...this.#finished, sectionOf(rest, this.#open, null)] : [...this.#finished],
      definitions: definitions.join('\n'),
    };
  }

  /** Put every section that is full aside, and return what was read of the last one. */
  #finish(whole: string): SectionReader {
    let start = this.#read.length;
    let reader = new SectionReader(this.#open);
    for (let place = start; place < whole.length;) {
      const end = endOfPiece(whole, place);
      if (end < 0) break;
      const piece = whole.slice(place, end);
      if (reader.isFullBefore(piece)) {
        this.#finished.push(sectionOf(whole.slice(start, place), this.#open, reader.open));
        this.#definitions.push(...reader.definitions);
        this.#open = reader.open;
        start = place;
        reader = new SectionReader(reader.open);
      }
      reader.take(piece);
      place = end;
    }
    this.#read = whole.slice(0, start);
    return reader;
  }

  #forget(): void {
    this.#finished = [];
    this.#definitions = [];
    this.#read = '';
    this.#open = null;
  }
}

/** Reads the lines of one section, and knows when it has enough. */
class SectionReader {
  readonly definitions: string[] = [];
  open: OpenBlock | null;
  #chars = 0;
  #lines = 0;
  #before = '';

  constructor(open: OpenBlock | null) {
    this.open = open;
  }

  isFullBefore(piece: string): boolean {
    const line = piece.trimEnd();
    // The mark that ends a block of code stays with it.
    if (this.open?.kind === 'fence' && !openAfter(line, '', this.open)) return false;
    if (this.#chars >= SECTION_MAX_CHARS || this.#lines >= SECTION_MAX_LINES) return true;
    if (this.open || (this.#chars < SECTION_MIN_CHARS && this.#lines < SECTION_MIN_LINES)) return false;
    return ITEM.test(line) || (!this.#before && /^\S/.test(line));
  }

  take(piece: string): void {
    const line = piece.trimEnd();
    this.open = openAfter(line, this.#before, this.open);
    if (!this.open && DEFINITION.test(line)) this.definitions.push(line);
    this.#chars += piece.length + FORMULA_MARK_CHARS * (piece.match(FORMULA_MARK)?.length ?? 0);
    this.#lines += 1;
    this.#before = line;
  }
}

/** Return the block that is open after a line. */
function openAfter(line: string, before: string, open: OpenBlock | null): OpenBlock | null {
  const [, mark, info = ''] = FENCE.exec(line) ?? [];
  if (open?.kind === 'fence') return mark?.startsWith(open.closing) && !info ? null : open;
  if (mark) return { kind: 'fence', opening: `${mark}${info}\n`, closing: mark };
  if (open) return line.includes('|') ? open : null;
  const isTable = before.includes('|') && DELIMITER_ROW.test(line);
  return isTable ? { kind: 'table', opening: `${before}\n${line}\n`, closing: '' } : null;
}

/** Return a part of a text with what is open around it opened and closed again. */
function sectionOf(part: string, before: OpenBlock | null, after: OpenBlock | null): string {
  const closing = after?.closing ?? '';
  return (before?.opening ?? '') + part + (closing && !part.endsWith('\n') ? '\n' : '') + closing;
}

/** Return where a line ends, or a piece of one that is too long; -1 while more of it may come. */
function endOfPiece(text: string, start: number): number {
  const end = text.indexOf('\n', start) + 1;
  const piece = text.slice(start, Math.min(end || Infinity, start + SECTION_MAX_CHARS));
  // An even number of marks is before it: it opens a formula.
  const mark = [...piece.matchAll(FORMULA_MARK)][SECTION_MAX_MARKS];
  if (mark) return start + mark.index;
  if (end && end - start <= SECTION_MAX_CHARS) return end;
  if (piece.length < SECTION_MAX_CHARS) return -1;
  const blank = piece.lastIndexOf(' ') + 1;
  // Never between the two halves of a character.
  const half = /[\ud800-\udbff]$/.test(piece) ? 1 : 0;
  return start + (blank || piece.length - half);
}
