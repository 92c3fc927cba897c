/** The last step before any HTML of a model reaches the page: a short list of what may pass. */
import DOMPurify, { type Config } from 'dompurify';

const TAGS = (
  'a abbr b blockquote br caption cite code dd del details dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins ' +
  'kbd li mark ol p pre q rp rt ruby s samp small span strong sub summary sup table tbody td tfoot th thead ' +
  'tr u ul var wbr'
).split(' ');
const ATTRIBUTES = [
  'align',
  'alt',
  'colspan',
  'data-math',
  'href',
  'open',
  'rowspan',
  'src',
  'start',
  'title',
];

// No class, id or name: a model could dress its words as our buttons, or stand in for our elements.
const PROSE: Config = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ATTRIBUTES,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|tel:|data:image\/|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
};
const DRAWN: Config = { ADD_TAGS: ['semantics', 'annotation'], ADD_ATTR: ['encoding'] };
const SANITISE_CACHE_MAX_ENTRIES = 1000;

const prose = DOMPurify(globalThis.window);
prose.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName === 'A') {
    node.setAttribute('rel', 'noopener noreferrer nofollow');
    node.setAttribute('target', '_blank');
  }
  if (node.nodeName === 'IMG') {
    if (isOwnPicture(node.getAttribute('src') ?? '')) node.setAttribute('loading', 'lazy');
    else node.removeAttribute('src');
  }
});
const drawn = DOMPurify(globalThis.window);
const seen = new Map<string, string>();

/** Return HTML that is safe to show: nothing runs, nothing is fetched from elsewhere. */
export function sanitise(html: string): string {
  // Words alone are safe, and most blocks are words alone.
  if (!/[<&]/.test(html)) return html;
  const before = seen.get(html);
  if (before !== undefined) return before;
  const safe = prose.sanitize(/<img/i.test(html) ? withoutForeignPictures(html) : html, PROSE);
  if (seen.size >= SANITISE_CACHE_MAX_ENTRIES) seen.clear();
  seen.set(html, safe);
  return safe;
}

/** Return what KaTeX drew, safe to show. */
export const sanitiseFormula = (html: string): DocumentFragment =>
  drawn.sanitize(html, {
    ...DRAWN,
    USE_PROFILES: { html: true, mathMl: true, svg: true },
    RETURN_DOM_FRAGMENT: true,
  });

/** Return a drawing without scripts, links or foreign content. */
export const sanitiseSvg = (svg: string): string =>
  drawn.sanitize(svg, {
    USE_PROFILES: { svg: true, svgFilters: true },
    ADD_TAGS: ['style'],
    FORBID_TAGS: ['a', 'image', 'foreignObject', 'script'],
    FORBID_ATTR: ['href', 'xlink:href'],
  });

/** Tell whether a picture is one that this server keeps, or is in the text itself. */
export function isOwnPicture(source: string): boolean {
  if (/^data:image\/(?:png|jpe?g|gif|webp|avif|bmp);/i.test(source)) return true;
  if (!URL.canParse(source, location.href)) return false;
  // Nothing else here is a picture, and a model's words shall not make the page ask for it.
  const { origin, pathname } = new URL(source, location.href);
  return origin === location.origin && pathname.startsWith('/api/attachments/');
}

/** A picture from elsewhere would tell its server who reads: it becomes a link that one may follow. */
function withoutForeignPictures(html: string): string {
  // A parsed document is inert: its pictures are not fetched.
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const picture of page.querySelectorAll('img')) {
    const source = picture.getAttribute('src') ?? '';
    if (isOwnPicture(source)) continue;
    const name = picture.getAttribute('alt') || source;
    const link = page.createElement('a');
    link.setAttribute('href', source);
    link.textContent = name;
    picture.replaceWith(/^https?:/i.test(source) && !picture.closest('a') ? link : name);
  }
  return page.body.innerHTML;
}
