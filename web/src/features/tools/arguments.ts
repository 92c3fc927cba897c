/** Arguments of tools, shown exactly as they are: no number rounded, nothing hidden in them. */

/** What is not seen, or turns the reading direction, and so can make a text look like another. */
const INVISIBLE_CHARACTERS =
  /[\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\udb40][\udc00-\udfff]/g;
const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+|[{}[\],:]/gsu;

/** Arguments with one value a line, each as it was written; what is no JSON stays as it is. */
export function formatArguments(json: string): string {
  if (!isJson(json)) return escapeInvisible(json);
  let [text, depth] = ['', 0];
  const line = () => '\n' + '  '.repeat(depth);
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '}' || token === ']') {
      depth--;
      text += /[{[]$/.test(text) ? token : line() + token;
    } else {
      if (/[{[]$/.test(text)) text += line();
      text += token === ':' ? ': ' : token;
      if (token === '{' || token === '[') depth++;
      if (token === ',') text += line();
    }
  }
  return escapeInvisible(text);
}

/** A text in which what is not seen stands as JSON writes it, which means the same. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE_CHARACTERS, (found) =>
    Array.from({ length: found.length }, (_, at) => '\\u' + hex(found.charCodeAt(at))).join(''),
  );
}

const hex = (unit: number) => unit.toString(16).padStart(4, '0');

/** The texts of several lines among the arguments, by their names: code is read as code. */
export function multilineArguments(json: string): [name: string, text: string][] {
  if (!isJsonObject(json)) return [];
  return Object.entries(JSON.parse(json) as Record<string, unknown>).flatMap(([name, value]) =>
    typeof value === 'string' && value.includes('\n')
      ? [[name, escapeInvisible(value)] as [string, string]]
      : [],
  );
}

/** Tell whether a text is one JSON object, as arguments must be. */
export function isJsonObject(json: string): boolean {
  return isJson(json) && json.trimStart().startsWith('{');
}

function isJson(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

/** The arguments in one short line: their values, without their names. */
export function summariseArguments(json: string): string {
  if (!isJsonObject(json)) return escapeInvisible(json.trim());
  const values = Object.values(JSON.parse(json) as Record<string, unknown>);
  const gist = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return escapeInvisible(gist.join(' · ').replace(/\s+/g, ' ').trim().slice(0, 200));
}
