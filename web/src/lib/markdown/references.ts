/** Numbers in brackets that point at a source, `[2]`: made links once the text around them is safe. */
import { getContext, setContext } from 'svelte';

export interface Reference {
  readonly href: string;
  /** What is read out. */
  readonly label: string;
}

/** The sources of a text, by their number. */
export type References = ReadonlyMap<number, Reference>;

const REFERENCES_CONTEXT = Symbol('references');
const NO_REFERENCES: References = new Map();
/** Where a number in brackets is something else. */
const UNLINKED_ELEMENTS = 'a, code, pre, kbd, samp, [data-math]';
const NUMBER = /\[(\d{1,3})\]/g;

export const provideReferences = (of: () => References): unknown => setContext(REFERENCES_CONTEXT, of);

/** Return how to get the sources of the text that is being drawn. */
export const useReferences = (): (() => References) =>
  getContext<(() => References) | undefined>(REFERENCES_CONTEXT) ?? (() => NO_REFERENCES);

/** Return safe HTML with links for the numbers that have a source; all others stay text. */
export function linkReferences(html: string, references: References): string {
  if (!references.size || html.search(NUMBER) < 0) return html;
  const page = document.createElement('template');
  page.innerHTML = html;
  const walker = document.createTreeWalker(page.content, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) if (!text.parentElement?.closest(UNLINKED_ELEMENTS)) replace(text, references);
  return page.innerHTML;
}

function replace(text: Text, references: References): void {
  const parts: (string | Node)[] = [];
  let place = 0;
  for (const match of text.data.matchAll(NUMBER)) {
    const reference = references.get(Number(match[1]));
    if (!reference) continue;
    parts.push(text.data.slice(place, match.index), linkTo(Number(match[1]), reference));
    place = match.index + match[0].length;
  }
  if (parts.length) text.replaceWith(...parts, text.data.slice(place));
}

function linkTo(number: number, { href, label }: Reference): HTMLElement {
  const anchor = document.createElement('a');
  anchor.href = href;
  anchor.textContent = String(number);
  anchor.dataset['reference'] = String(number);
  anchor.setAttribute('aria-label', label);
  const raised = document.createElement('sup');
  raised.append(anchor);
  return raised;
}
