/** Which link of a text is pointed at, by mouse, finger or keyboard. */
import type { Attachment } from 'svelte/attachments';

const CITATION_SELECTOR = 'a[data-reference]';

export interface CitationHoverHandlers {
  readonly onpoint: (link: HTMLAnchorElement) => void;
  readonly onleave: () => void;
  readonly onkey: (event: KeyboardEvent, link: HTMLAnchorElement) => void;
}

/** Tell when a numbered link inside an element is pointed at, when it no longer is, and what is typed on it. */
export const citationHover =
  ({ onpoint, onleave, onkey }: CitationHoverHandlers): Attachment<HTMLElement> =>
  (element) => {
    const linkAt = (event: Event) => (event.target as Element).closest<HTMLAnchorElement>(CITATION_SELECTOR);
    let byFinger = false;
    const point = (event: Event): void => {
      const link = linkAt(event);
      if (link && !(event instanceof PointerEvent && event.pointerType === 'touch')) onpoint(link);
    };
    const leave = (event: Event): void => {
      if (linkAt(event) && !(event instanceof PointerEvent && event.pointerType === 'touch')) onleave();
    };
    const press = (event: PointerEvent): void => {
      byFinger = event.pointerType === 'touch';
    };
    // A finger cannot hover: its tap shows the source instead of leaving the page.
    const click = (event: MouseEvent): void => {
      const link = linkAt(event);
      if (!link || !byFinger) return;
      event.preventDefault();
      onpoint(link);
    };
    const key = (event: KeyboardEvent): void => {
      const link = linkAt(event);
      if (link) onkey(event, link);
    };
    const heard = { pointerover: point, focusin: point, pointerout: leave, focusout: leave } as const;
    for (const [name, listener] of Object.entries(heard)) element.addEventListener(name, listener);
    element.addEventListener('pointerdown', press);
    element.addEventListener('click', click);
    element.addEventListener('keydown', key);
    return () => {
      for (const [name, listener] of Object.entries(heard)) element.removeEventListener(name, listener);
      element.removeEventListener('pointerdown', press);
      element.removeEventListener('click', click);
      element.removeEventListener('keydown', key);
    };
  };
