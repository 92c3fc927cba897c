/** Diagrams: Mermaid is fetched with the first one, and what it draws is shown as a picture, which is inert. */
import { safeDrawing } from './sanitise';

export interface Drawing {
  /** The picture as an address of its own. */
  readonly source: string;
  readonly width: number;
  readonly height: number;
}

const REMEMBERED = 100;
/** Mermaid measures a drawing on the page, where such words would make the browser fetch something. */
const FETCHES = /url\(|image-set|@import|\bimg\s*:|sprite|themeCSS|\\(?!n)/i;
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

async function drawAnew(source: string, dark: boolean): Promise<Drawing> {
  if (FETCHES.test(source)) throw new Error('A diagram brings all of its parts along.');
  const { default: mermaid } = await import('mermaid');
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
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
