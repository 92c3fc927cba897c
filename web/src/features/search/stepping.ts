/** The Tab key for a box that floats: it is gone through as if it stood right after what opened it. */
const STOPS = 'a[href], button:not([disabled]), [tabindex="0"]';

const stopsIn = (box: HTMLElement): HTMLElement[] => [...box.querySelectorAll<HTMLElement>(STOPS)];

/** Go into a box from what opened it. */
export function stepIn(event: KeyboardEvent, box: HTMLElement): void {
  const [first] = stopsIn(box);
  if (event.key !== 'Tab' || event.shiftKey || !first) return;
  event.preventDefault();
  first.focus();
}

/** Leave a box at either end of it. */
export function stepOut(event: KeyboardEvent, box: HTMLElement, opener: HTMLElement): void {
  const stops = stopsIn(box);
  const end = event.shiftKey ? stops.at(0) : stops.at(-1);
  if (event.key !== 'Tab' || event.target !== end) return;
  opener.focus();
  // Forward, the browser itself goes on from there to what comes next.
  if (event.shiftKey) event.preventDefault();
}
