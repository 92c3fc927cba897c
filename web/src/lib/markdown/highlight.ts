/** Code in colours: each line is read once, also while more lines come. */
import type { GrammarState, HighlighterCore, ThemedToken } from 'shiki/core';
import { grammarOf } from './languages';

export interface HighlightedSpan {
  readonly text: string;
  /** The colours in light and dark, as a style. */
  readonly style: string;
}
export type HighlightedLine = readonly HighlightedSpan[];

const THEMES = { light: 'github-light-high-contrast', dark: 'github-dark-default' };
const HIGHLIGHTED_CODE_MAX_CHARS = 200_000;
const HIGHLIGHT_CACHE_MAX_ENTRIES = 200;
/** Milliseconds for one line: the first one of a language also pays for preparing its grammar. */
const HIGHLIGHTED_LINE_TIMEOUT_MS = 3000;

/** Blocks that came out of sight are not read again when they come back. */
const finished = new Map<string, readonly HighlightedLine[]>();

let loading: Promise<HighlighterCore> | null = null;

/** Fetch the highlighter; its engine is plain JavaScript, because our pages may not compile WebAssembly. */
async function load(): Promise<HighlighterCore> {
  const [core, engine, light, dark] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
    import('shiki/themes/github-light-high-contrast.mjs'),
    import('shiki/themes/github-dark-default.mjs'),
  ]);
  return core.createHighlighterCore({
    themes: [light.default, dark.default],
    engine: engine.createJavaScriptRegexEngine({ forgiving: true }),
  });
}

/** Return a highlighter that knows a language. */
async function highlighterFor(language: string): Promise<HighlighterCore> {
  loading ??= load();
  const highlighter = await loading;
  if (!highlighter.getLoadedLanguages().includes(language))
    await highlighter.loadLanguage(await grammarOf(language));
  return highlighter;
}

/** Colours one block of code that may still grow. */
export class Highlighter {
  #highlighter: HighlighterCore | null = null;
  #done = '';
  #lines: HighlightedLine[] = [];
  #state: GrammarState | undefined;
  readonly #language: string;

  constructor(language: string) {
    this.#language = language;
  }

  /** Return the lines of a code; the last one is plain while it is being written. */
  async highlight(code: string, growing: boolean): Promise<readonly HighlightedLine[] | null> {
    if (code.length > HIGHLIGHTED_CODE_MAX_CHARS) return null;
    const key = `${this.#language} ${code}`;
    const before = growing ? undefined : finished.get(key);
    if (before) return before;
    this.#highlighter ??= await highlighterFor(this.#language);
    if (!code.startsWith(this.#done)) this.#forget();
    const end = growing ? code.lastIndexOf('\n') + 1 : code.length;
    if (end > this.#done.length) this.#read(this.#highlighter, code.slice(this.#done.length, end));
    const rest = code.slice(end);
    this.#done = code.slice(0, end);
    const lines = rest ? [...this.#lines, [plain(rest)]] : [...this.#lines];
    if (finished.size >= HIGHLIGHT_CACHE_MAX_ENTRIES) finished.clear();
    if (!growing) finished.set(key, lines);
    return lines;
  }

  #read(highlighter: HighlighterCore, code: string): void {
    const { tokens, grammarState } = highlighter.codeToTokens(code.replace(/\n$/, ''), {
      lang: this.#language,
      themes: THEMES,
      defaultColor: false,
      tokenizeTimeLimit: HIGHLIGHTED_LINE_TIMEOUT_MS,
      ...(this.#state ? { grammarState: this.#state } : {}),
    });
    this.#state = grammarState;
    this.#lines.push(...tokens.map((line) => line.map(pieceOf)));
  }

  #forget(): void {
    this.#done = '';
    this.#lines = [];
    this.#state = undefined;
  }
}

/** Return a code as lines, in colours as far as they were worked out for it: they always spell the code. */
export function highlightedLines(
  code: string,
  coloured: readonly HighlightedLine[],
): readonly HighlightedLine[] {
  const spelled = coloured.map((line) => line.map(({ text }) => text).join('')).join('\n');
  if (!spelled || !code.startsWith(spelled)) return [[plain(code)]];
  const rest = code.slice(spelled.length);
  if (!rest) return coloured;
  if (rest.startsWith('\n')) return [...coloured, [plain(rest.slice(1))]];
  return [...coloured.slice(0, -1), [...(coloured.at(-1) ?? []), plain(rest)]];
}

const plain = (text: string): HighlightedSpan => ({ text, style: '' });

function pieceOf(token: ThemedToken): HighlightedSpan {
  const style = Object.entries(token.htmlStyle ?? {}).map(([name, value]) => `${name}:${value}`);
  return { text: token.content, style: style.join(';') };
}
