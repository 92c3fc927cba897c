/** A growing text as blocks: those that can no longer change are read once and stay the same objects. */
import type { Token } from 'marked';
import { lex } from './lexer';
import { openFormula } from './maths';
import { closeOpenMarks } from './openMarks';

/** How many blocks at the end may still turn into something else when more comes. */
const UNSETTLED_BLOCKS = 2;

export class BlockSplitter {
  #settled: Token[] = [];
  #prefix = '';

  /** Return the blocks of a text; while it is written, only its end is read anew. */
  split(text: string, streaming: boolean): Token[] {
    const whole = text.replace(/\r\n?/g, '\n');
    // Read as a whole at the end: a link may be explained after it was used.
    if (!streaming) return lex(whole);
    if (!whole.startsWith(this.#prefix)) this.#forget();
    this.#settle(whole);
    return [...this.#settled, ...unfinished(whole.slice(this.#prefix.length))];
  }

  #settle(whole: string): void {
    const rest = whole.slice(this.#prefix.length);
    const tokens = lex(rest);
    const solid = tokens.flatMap((token, index) => (token.type === 'space' ? [] : [index]));
    const until = solid.at(-UNSETTLED_BLOCKS) ?? 0;
    let length = 0;
    for (const token of tokens.slice(0, solid.length > UNSETTLED_BLOCKS ? until : 0)) {
      if (!rest.startsWith(token.raw, length)) return;
      length += token.raw.length;
      this.#settled.push(token);
      this.#prefix += token.raw;
    }
  }

  #forget(): void {
    this.#settled = [];
    this.#prefix = '';
  }
}

/** Read the end of a text that goes on. */
function unfinished(text: string): Token[] {
  const place = text.search(/(?:^|\n\n)(?! {4}) {0,3}(?:\$\$|\\\[)(?![^]*\n\n)/);
  const block = place < 0 ? '' : text.slice(place).replace(/^\n+/, '');
  const tex = openFormula(block);
  if (tex === null) return lex(closeOpenMarks(text));
  return [...lex(text.slice(0, place)), { type: 'open-formula', raw: block, text: tex }];
}
