/** A passage that was found, cut to what matters, with the words that were asked for marked in it. */
export interface SnippetPart {
  readonly text: string;
  readonly hit: boolean;
}

const SNIPPET_MAX_CHARS = 220;
/** Words of so few letters begin too many others: only they themselves are marked. */
const WHOLE_WORD_MAX_CHARS = 3;

/** Return a passage around its first match, in pieces. */
export function highlightSnippet(passage: string, query: string): SnippetPart[] {
  const text = passage.replace(/\s+/g, ' ').trim();
  const pattern = patternOf(query);
  const first = pattern ? Math.max(0, text.search(pattern)) : 0;
  const start = first > SNIPPET_MAX_CHARS / 3 ? text.lastIndexOf(' ', first - SNIPPET_MAX_CHARS / 4) + 1 : 0;
  const cut = text.slice(start, start + SNIPPET_MAX_CHARS);
  const shown = (start ? '…' : '') + cut + (start + SNIPPET_MAX_CHARS < text.length ? '…' : '');
  return pattern ? pieces(shown, pattern) : [{ text: shown, hit: false }];
}

/** Words of one letter would mark half of the text. */
function patternOf(query: string): RegExp | null {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu))].slice(0, 40);
  if (!words.length) return null;
  const longestFirst = words.sort((a, b) => b.length - a.length);
  const parts = longestFirst.map((word) =>
    word.length > WHOLE_WORD_MAX_CHARS ? word : `${word}(?![\\p{L}\\p{N}])`,
  );
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.join('|')})`, 'giu');
}

function pieces(text: string, pattern: RegExp): SnippetPart[] {
  const found: SnippetPart[] = [];
  let place = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > place) found.push({ text: text.slice(place, match.index), hit: false });
    found.push({ text: match[0], hit: true });
    place = match.index + match[0].length;
  }
  if (place < text.length) found.push({ text: text.slice(place), hit: false });
  return found;
}
