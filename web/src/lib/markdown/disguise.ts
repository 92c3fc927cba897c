/**
 * What in a diagram could make the browser fetch something, in a disguise that the browser does not understand.
 *
 * Whether `url(` stands in a label or in a style only Mermaid knows. So it is changed wherever it stands, by one
 * character, which leaves the diagram the same; the finished picture, which cannot fetch, has it back.
 */
export interface Disguise {
  readonly text: string;
  /** Put everything back into what was drawn. */
  restored(drawing: string): string;
}

/** Text that changes its last character, to the first one that makes something the diagram does not have. */
interface Change {
  readonly pattern: RegExp;
  readonly start: string;
  readonly end: string;
  readonly standIns: string;
}

/** Mermaid drops semicolons from some styles, so a word may be spelled with them. */
const spelled = (word: string): RegExp => new RegExp([...word].join(';*'), 'gi');
const LETTERS = 'jifrzxvkyaoenuhdbpqgwm';
const CHANGES: readonly Change[] = [
  // What CSS fetches with, and HTML.
  { pattern: spelled('url'), start: 'ur', end: 'l', standIns: LETTERS },
  { pattern: spelled('src'), start: 'sr', end: 'c', standIns: LETTERS },
  { pattern: spelled('image-set'), start: 'image-se', end: 't', standIns: LETTERS },
  { pattern: spelled('@import'), start: '@impor', end: 't', standIns: LETTERS },
  // A tag with attributes.
  { pattern: /<(?=[a-z][^<>]*=)/gi, start: '', end: '<', standIns: '‹〈⟨⧼' },
  // A comment within a word is left out of a style, and the word is whole again.
  { pattern: /\/\*/g, start: '/', end: '*', standIns: '∗⁎✱✲' },
  // It can spell any letter, in CSS, JSON and YAML. Those that Mermaid reads itself stay.
  { pattern: /(?<!\[)\\(?![n,"'\])])/g, start: '', end: '\\', standIns: '⧵∖⟍⧹' },
];

/**
 * Where Mermaid leaves something out of the text or a style, and would join what stands before and after it:
 * settings, `!important`, and a declaration with its semicolon, for which a comma may stand.
 */
const JOINTS = /(?<=\S)(?=%%\{)|(?<=!important)(?=[\w(-])|(?<=[;,])(?=[a-z-]+\()/gi;

/** Return a diagram that fetches nothing while it is drawn. */
export function disguiseFetches(source: string): Disguise {
  let text = source.replace(JOINTS, ' ');
  const undo: ((drawing: string) => string)[] = [];
  for (const { pattern, start, end, standIns } of CHANGES) {
    if (!text.match(pattern)) continue;
    const standIn = standInFor(text, start, standIns);
    text = text.replace(pattern, (found) => withEnd(found, standIn));
    const hidden = spelled(start + standIn);
    undo.push((drawing) => drawing.replace(hidden, (found) => escaped(withEnd(found, end))));
  }
  return { text, restored: (drawing) => undo.reduce((before, change) => change(before), drawing) };
}

function standInFor(text: string, start: string, standIns: string): string {
  const lower = text.toLowerCase().replaceAll(';', '');
  const free = [...standIns].find((standIn) => !lower.includes(start + standIn));
  if (free === undefined) throw new Error('A diagram has too many odd words.');
  return free;
}

/** Return a text with another last character, in the same case. */
function withEnd(text: string, end: string): string {
  const isUpper = text.slice(-1) !== text.slice(-1).toLowerCase();
  return text.slice(0, -1) + (isUpper ? end.toUpperCase() : end);
}

const escaped = (text: string): string => text.replace('<', '&lt;');
