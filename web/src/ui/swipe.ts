/** Horizontal swipes of one finger. */
export interface Swipe {
  readonly startX: number;
  readonly deltaX: number;
  readonly deltaY: number;
}

const SWIPE_MIN_PX = 48;

/** Return where a stroke goes; null when it is short or rather goes up or down. */
export function swipeDirection({ deltaX, deltaY }: Swipe): 'left' | 'right' | null {
  if (Math.abs(deltaX) < SWIPE_MIN_PX || Math.abs(deltaX) < 2 * Math.abs(deltaY)) return null;
  return deltaX > 0 ? 'right' : 'left';
}

/** Attach to an element: tells of every swipe on it. */
export function swipe(
  tell: (to: 'left' | 'right', stroke: Swipe) => void,
): (node: HTMLElement) => () => void {
  return (node) => {
    let start: Touch | null = null;
    const begin = (event: TouchEvent) => {
      start = event.touches.length === 1 ? (event.touches[0] ?? null) : null;
    };
    const end = (event: TouchEvent) => {
      const last = event.changedTouches[0];
      if (!start || !last) return;
      const [deltaX, deltaY] = [last.clientX - start.clientX, last.clientY - start.clientY];
      const stroke = { startX: start.clientX, deltaX, deltaY };
      const to = swipeDirection(stroke);
      if (to) tell(to, stroke);
    };
    node.addEventListener('touchstart', begin, { passive: true });
    node.addEventListener('touchend', end, { passive: true });
    return () => {
      node.removeEventListener('touchstart', begin);
      node.removeEventListener('touchend', end);
    };
  };
}
