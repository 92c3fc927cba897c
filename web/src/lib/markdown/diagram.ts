/** Diagrams: Mermaid is fetched with the first one, and what it draws is shown as a picture, which is inert. */
import { disguiseFetches } from './disguise';
import { sanitiseSvg } from './sanitise';

export interface Drawing {
  /** The picture as an address of its own. */
  readonly source: string;
  readonly width: number;
  readonly height: number;
}

type Mermaid = typeof import('mermaid').default;
/** What Mermaid knows of a diagram that can have pictures: the nodes of a flowchart, the actors of a sequence. */
interface ParsedDiagram {
  getVertices?(): Map<string, { readonly img?: unknown }>;
  getActors?(): Map<string, { readonly properties?: Readonly<Record<string, unknown>> }>;
}

const DIAGRAM_CACHE_MAX_ENTRIES = 100;
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
const drawn = new Map<string, Promise<Drawing>>();
let last = 0;

/** Draw a diagram once, or throw when its source makes no sense. */
export function drawDiagram(source: string, dark: boolean): Promise<Drawing> {
  const key = `${dark} ${source}`;
  const drawing = drawn.get(key) ?? drawAnew(source, dark);
  if (drawn.size >= DIAGRAM_CACHE_MAX_ENTRIES) drawn.clear();
  drawn.set(key, drawing);
  return drawing;
}

/**
 * Mermaid measures a drawing on the page, where a picture or a style in it would make the browser fetch something.
 * Styles are disguised for as long as it draws; a diagram with pictures is not drawn.
 */
async function drawAnew(source: string, dark: boolean): Promise<Drawing> {
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
  const { text, restored } = disguiseFetches(source);
  if (await hasPictures(mermaid, text)) throw new Error('A diagram brings all of its parts along.');
  const { svg } = await mermaid.render(`diagram-${++last}`, text);
  return svgAsPicture(restored(sanitiseSvg(svg)));
}

/** Tell whether a diagram, as Mermaid itself reads it, has pictures to fetch. */
export async function hasPictures(mermaid: Mermaid, text: string): Promise<boolean> {
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  const { getVertices, getActors } = db as ParsedDiagram;
  const nodes = [...(getVertices?.call(db).values() ?? [])];
  const actors = [...(getActors?.call(db).values() ?? [])];
  return nodes.some(({ img }) => img) || actors.some(({ properties }) => properties?.['icon']);
}

/** Return a drawing as a picture with a size of its own. */
export function svgAsPicture(svg: string): Drawing {
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
