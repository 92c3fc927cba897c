/** Maths on the page: KaTeX is fetched with the first formula, and each formula is drawn once. */
import { safeFormula } from './sanitise';

type Katex = typeof import('katex').default;

const drawn = new Map<string, DocumentFragment>();
let katex: Katex | null = null;
let loading: Promise<Katex> | null = null;

function load(): Promise<Katex> {
  loading ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(
    ([library]) => (katex = library.default),
  );
  return loading;
}

/** Draw the formulas of an element that holds their source; until then, and when it cannot be, that is shown. */
export function typeset(element: HTMLElement): void {
  const formulas = element.querySelectorAll<HTMLElement>('[data-math]');
  if (!formulas.length) return;
  const draw = (library: Katex): void => formulas.forEach((formula) => show(library, formula));
  if (katex) draw(katex);
  else load().then(draw, () => (loading = null));
}

function show(library: Katex, formula: HTMLElement): void {
  const display = formula.dataset['math'] === 'display';
  const key = `${display} ${formula.textContent}`;
  let picture = drawn.get(key);
  if (!picture) {
    picture = safeFormula(
      library.renderToString(formula.textContent ?? '', {
        displayMode: display,
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
