/** Markdown as tokens, and runs of inline tokens as HTML that is still to be made safe. */
import {
  Lexer,
  Marked,
  Parser,
  type Token,
  type TokenizerExtension,
  type Tokens,
  type TokensList,
} from 'marked';
import { blockFormula, formulaStart, inlineFormula } from './maths';

export interface FormulaToken extends Tokens.Generic {
  type: 'formula';
  tex: string;
  display: boolean;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Write a formula as its source, marked so that it is typeset once it is on the page. */
export const formulaHtml = (tex: string, display: boolean): string =>
  `<span data-math="${display ? 'display' : 'inline'}">${escaped(tex)}</span>`;

const formulaIn = (level: 'inline' | 'block'): TokenizerExtension => ({
  name: level === 'inline' ? 'formula' : 'formulaBlock',
  level,
  start: (text) => {
    const place = level === 'inline' ? formulaStart(text) : text.search(/\n {0,3}(?:\$\$|\\\[)/);
    return place < 0 ? undefined : place;
  },
  tokenizer(text, tokens): FormulaToken | undefined {
    // "US$5": a dollar that ends a word opens nothing.
    if (level === 'inline' && text.startsWith('$') && /\w$/.test(tokens.at(-1)?.raw ?? '')) return undefined;
    const found = level === 'inline' ? inlineFormula(text) : blockFormula(text);
    return found ? { type: 'formula', raw: found.raw, tex: found.tex, display: found.display } : undefined;
  },
});

const marked = new Marked({
  gfm: true,
  breaks: false,
  extensions: [
    formulaIn('inline'),
    formulaIn('block'),
    {
      name: 'formula',
      renderer: (token) => formulaHtml((token as FormulaToken).tex, (token as FormulaToken).display),
    },
  ],
  renderer: {
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    // By itself, so that `[1\\]` is no reference: whoever quotes a number in brackets cites nothing by it.
    text: (token) => (token.type === 'escape' && token.text === ']' ? '<span>]</span>' : false),
  },
});

/** Longer runs of words are read piece by piece: to search for marks may take the square of the length. */
export const INLINE_PIECE_MAX_CHARS = 4_000;

/** Where a run of words is best cut: after a line or a sentence, else between words. */
const CUTS = [/^[^]*(?:\n|[.!?:;…。！？]\s)/, /^[^]*\s/];

/** Cut a run of words into pieces that are read one by one; those before the last stay when it grows. */
export function inlinePieces(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > INLINE_PIECE_MAX_CHARS) {
    const most = rest.slice(0, INLINE_PIECE_MAX_CHARS);
    const piece = CUTS.map((cut) => cut.exec(most)?.[0]).find(Boolean) ?? most;
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return [...pieces, rest];
}

/** Lists and quotations inside one another; what is deeper is shown as words. */
export const NESTING_MAX = 40;

class BoundedLexer extends Lexer {
  #depth = 0;

  override blockTokens(text: string, tokens: Token[] = [], clipped?: boolean): TokensList {
    if (this.#depth >= NESTING_MAX) tokens.push({ type: 'text', raw: text, text, escaped: false });
    else {
      this.#depth += 1;
      super.blockTokens(text, tokens, clipped);
      this.#depth -= 1;
    }
    return tokens as TokensList;
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    for (const piece of inlinePieces(text)) super.inlineTokens(piece, tokens);
    return tokens;
  }
}

/** Read a text into blocks. */
export const lex = (text: string): Token[] => [...new BoundedLexer(marked.defaults).lex(text)];

/** Write inline tokens as HTML. Not safe yet. */
export const inlineHtml = (tokens: Token[]): string => Parser.parseInline(tokens, marked.defaults);

/** The inline tokens of a block that has words of its own. */
export const inlineOf = (token: Token): Token[] =>
  'tokens' in token && token.tokens ? token.tokens : [token];
