/** What keys do to an event that has the focus: Shift moves it, with Ctrl or ⌘ it is stretched. */
import type { EventDrag } from './eventDrag.svelte';
import { keyMove } from './eventMoves';
import type { ShownEvent } from './shownEvents';

export function pressEventKey(
  event: KeyboardEvent,
  shown: ShownEvent,
  drag: EventDrag,
  hasHours: boolean,
): void {
  const isUnderWay = drag.isDragged(shown);
  if (isUnderWay && (event.key === 'Escape' || event.key === 'Enter')) {
    if (event.key === 'Enter') drag.settle();
    else drag.cancel();
  } else {
    const move = event.shiftKey ? keyMove(event.key, event.ctrlKey || event.metaKey, hasHours) : null;
    if (!move) return;
    drag.nudge(shown, move);
  }
  event.preventDefault();
  event.stopPropagation();
}
