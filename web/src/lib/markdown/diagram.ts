/** Diagrams: Mermaid is fetched with the first one, and what it draws is shown as a picture, which is inert. */
import { safeDrawing } from './sanitise';

export interface Drawing {
  /** The picture as an address of its own. */
  readonly source: string;
  readonly width: number;
  readonly height: number;
}

const REMEMBERED = 100;
/** What a diagram may not set for itself: with it, it could bring HTML or styles of its own. */
const FIXED_SETTINGS = [
  'secure',
  'securityLevel',
  'startOnLoad',
  'maxTextSize',
  'maxEdges',
  'suppressErrorRendering',
  'htmlLabels',
  'dompurifyConfig',
  'themeCSS',
  'fontFamily',
  'altFontFamily',
];
/**
 * Mermaid measures a drawing on the page, where a picture or a style in it would make the browser fetch something.
 * Each row is one way to have that; a backslash could spell any of these words differently.
 */
const FETCHES: readonly (readonly RegExp[])[] = [
  [/\b(?:url|src)\s*\(|image-set|@import|\\(?!n)/i],
  // The picture of a node: YAML, in which a key can be written in many ways.
  [/@\{/, /img/i],
  // The picture of a participant.
  [/\bproperties\b/i, /icon/i],
];
const drawn = new Map<string, Promise<Drawing>>();
let last = 0;

/** Draw a diagram once, or throw when its source makes no sense. */
export function draw(source: string, dark: boolean): Promise<Drawing> {
  const key = `${dark} ${source}`;
  const drawing = drawn.get(key) ?? drawAnew(source, dark);
  if (drawn.size >= REMEMBERED) drawn.clear();
  drawn.set(key, drawing);
  return drawing;
}

/** Tell whether drawing a diagram could make the browser ask somebody for something. */
export const fetches = (source: string): boolean =>
  FETCHES.some((signs) => signs.every((sign) => sign.test(source)));

async function drawAnew(source: string, dark: boolean): Promise<Drawing> {
  if (fetches(source)) throw new Error('A diagram brings all of its parts along.');
  const { default: mermaid } = await import('mermaid');
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    secure: FIXED_SETTINGS,
    suppressErrorRendering: true,
    theme: dark ? 'dark' : 'neutral',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    fontFamily: 'ui-sans-serif, system-ui, sans-serif',
  });
  const { svg } = await mermaid.render(`diagram-${++last}`, source);
  return asPicture(safeDrawing(svg));
}

/** Return a drawing as a picture with a size of its own. */
export function asPicture(svg: string): Drawing {
  const [, , width = 600, height = 400] = (/viewBox="([^"]+)"/i.exec(svg)?.[1] ?? '')
    .split(/[\s,]+/)
    .map(Number);
  const sized = svg.replace(/<svg\b[^>]*>/i, (tag) => {
    const bare = tag.replace(/\s(?:width|height|xmlns)="[^"]*"/gi, '');
    return bare.replace(
      '<svg',
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`,
    );
  });
  return { source: `data:image/svg+xml,${encodeURIComponent(sized)}`, width, height };
}
