/** Maths on the page: KaTeX is fetched with the first formula, and each formula is drawn once. */
import { sanitiseFormula } from './sanitise';

type Katex = typeof import('katex').default;

/** Time to draw in a frame, which the browser needs too to lay out what was drawn. */
const SLICE_MS = 20;
/** Drawn a little before they are seen. */
const NEAR_PX = 400;
const NEAR = { rootMargin: `${NEAR_PX}px`, scrollMargin: `${NEAR_PX}px` };

const queue: HTMLElement[] = [];
let sight: IntersectionObserver | null = null;
const drawn = new Map<string, DocumentFragment>();
let katex: Katex | null = null;
let loading: Promise<Katex> | null = null;

function load(): Promise<Katex> {
  loading ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(
    ([library]) => (katex = library.default),
  );
  loading.catch(() => (loading = null));
  return loading;
}

/** Draw the formulas of an element when they come into sight; until then, and when it cannot be, their source is shown. */
export function typesetFormulas(element: HTMLElement): void {
  const end = performance.now() + SLICE_MS;
  for (const formula of element.querySelectorAll<HTMLElement>('[data-math]')) {
    // What is written anew while words arrive does not blink.
    if (katex && drawn.has(keyOf(formula)) && performance.now() < end) show(katex, formula);
    else watch(formula);
  }
}

function watch(formula: HTMLElement): void {
  sight ??= new IntersectionObserver(onSight, NEAR);
  sight.observe(formula);
}

function onSight(entries: IntersectionObserverEntry[]): void {
  const seen = entries
    .filter(({ isIntersecting }) => isIntersecting)
    .map(({ target }) => target as HTMLElement);
  if (!seen.length) return;
  for (const formula of seen) sight?.unobserve(formula);
  const isIdle = queue.length === 0;
  queue.push(...seen);
  if (isIdle) load().then(drawSlice, () => (queue.length = 0));
}

/** Draw as many formulas as a frame has time for, and the others in the next ones. */
function drawSlice(library: Katex): void {
  const end = performance.now() + SLICE_MS;
  while (queue.length && performance.now() < end) {
    const formula = queue.shift();
    if (formula?.isConnected) show(library, formula);
  }
  if (queue.length) requestAnimationFrame(() => drawSlice(library));
}

const isDisplay = (formula: HTMLElement): boolean => formula.dataset['math'] === 'display';
const keyOf = (formula: HTMLElement): string => `${isDisplay(formula)} ${formula.textContent}`;

function show(library: Katex, formula: HTMLElement): void {
  const key = keyOf(formula);
  let picture = drawn.get(key);
  if (!picture) {
    picture = sanitiseFormula(
      library.renderToString(formula.textContent ?? '', {
        displayMode: isDisplay(formula),
        throwOnError: false,
        errorColor: 'inherit',
        strict: 'ignore',
        trust: false,
        maxExpand: 500,
        maxSize: 50,
      }),
    );
    if (drawn.size > 500) drawn.clear();
    drawn.set(key, picture);
  }
  formula.replaceChildren(picture.cloneNode(true));
}
