/** Finding by some of the letters, in order: `nc` finds “New conversation”. */
export interface FuzzyMatch {
  readonly score: number;
  /** Which characters of the text were looked for. */
  readonly places: readonly number[];
}

export interface MatchedPart {
  readonly text: string;
  readonly found: boolean;
}

const TEXT_START_SCORE = 12;
const WORD_START_SCORE = 8;
const CONSECUTIVE_SCORE = 6;
const GAP_SCORE = -1;
const MATCHED_TEXT_MAX_CHARS = 300;

/** Return how well a text matches, the higher the better; null when a letter is missing. */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | null {
  const wanted = folded(query).filter((letter) => letter.trim());
  const letters = folded(text).slice(0, MATCHED_TEXT_MAX_CHARS);
  if (wanted.length === 0) return { score: 0, places: [] };
  if (wanted.length > letters.length) return null;
  let row: (FuzzyMatch | null)[] = letters.map((letter, place) =>
    letter === wanted[0] ? { score: worth(letters, place), places: [place] } : null,
  );
  for (const letter of wanted.slice(1)) row = extended(row, letters, letter);
  const best = row.reduce((a, b) => (b && (!a || b.score > a.score) ? b : a), null);
  // Of two texts that match alike, the shorter one is meant.
  return best && { ...best, score: best.score - letters.length / MATCHED_TEXT_MAX_CHARS };
}

/** Return the things that match, the best first. */
export function rankByMatch<T>(query: string, things: readonly T[], text: (thing: T) => string): T[] {
  return things
    .map((thing) => ({ thing, score: fuzzyMatch(query, text(thing))?.score ?? null }))
    .filter((entry): entry is { thing: T; score: number } => entry.score !== null)
    .sort((a, b) => b.score - a.score)
    .map((entry) => entry.thing);
}

/** Cut a text into what was looked for and the rest. */
export function splitByMatch(text: string, places: readonly number[]): MatchedPart[] {
  const cut: MatchedPart[] = [];
  for (const [place, letter] of Array.from(text).entries()) {
    const found = places.includes(place);
    const last = cut.at(-1);
    if (last?.found === found) cut[cut.length - 1] = { found, text: last.text + letter };
    else cut.push({ found, text: letter });
  }
  return cut;
}

/** For each place of `letter`: the best way to get there from the row of the letter before. */
function extended(
  row: readonly (FuzzyMatch | null)[],
  letters: readonly string[],
  letter: string,
): (FuzzyMatch | null)[] {
  let best: FuzzyMatch | null = null;
  return letters.map((here, place) => {
    const before = row[place - 1] ?? null;
    const reached =
      here === letter
        ? better(joined(before, place, CONSECUTIVE_SCORE), joined(best, place, worth(letters, place)))
        : null;
    best = better(before, best && { ...best, score: best.score + GAP_SCORE });
    return reached;
  });
}

const joined = (from: FuzzyMatch | null, place: number, points: number): FuzzyMatch | null =>
  from && { score: from.score + points, places: [...from.places, place] };

const better = (a: FuzzyMatch | null, b: FuzzyMatch | null): FuzzyMatch | null =>
  !a || (b && b.score > a.score) ? b : a;

function worth(letters: readonly string[], place: number): number {
  if (place === 0) return TEXT_START_SCORE;
  return /[\p{L}\p{N}]/u.test(letters[place - 1] ?? '') ? 0 : WORD_START_SCORE;
}

/** The letters without case and accents, one for each character. */
const folded = (text: string): string[] =>
  Array.from(text).map((letter) => letter.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase() || letter);
