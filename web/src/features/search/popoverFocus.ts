/** The Tab key for a box that floats: it is gone through as if it stood right after what opened it. */
const FOCUSABLE_SELECTOR = 'a[href], button:not([disabled]), [tabindex="0"]';

const focusableIn = (box: HTMLElement): HTMLElement[] => [
  ...box.querySelectorAll<HTMLElement>(FOCUSABLE_SELECTOR),
];

/** Go into a box from what opened it. */
export function focusIntoPopover(event: KeyboardEvent, box: HTMLElement): void {
  const [first] = focusableIn(box);
  if (event.key !== 'Tab' || event.shiftKey || !first) return;
  event.preventDefault();
  first.focus();
}

/** Leave a box at either end of it. */
export function focusOutOfPopover(event: KeyboardEvent, box: HTMLElement, opener: HTMLElement): void {
  const stops = focusableIn(box);
  const end = event.shiftKey ? stops.at(0) : stops.at(-1);
  if (event.key !== 'Tab' || event.target !== end) return;
  opener.focus();
  // Forward, the browser itself goes on from there to what comes next.
  if (event.shiftKey) event.preventDefault();
}
