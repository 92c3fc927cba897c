/** An event that is being moved, stretched or drawn: with the pointer, or with keys. */
import { daysBetween } from '$lib/zonedTime';
import { measureDay, momentOf } from './dayScale';
import { pointAt, type DragPoint } from './dragPoint';
import {
  dragEnd,
  dragEvent,
  dragOver,
  dragStart,
  moveByKey,
  snap,
  type KeyMove,
  type Times,
} from './eventMoves';
import { daysOf, type ShownEvent } from './shownEvents';

export type DragKind = 'move' | 'start' | 'end';

/** So far the pointer goes before a press is a drag. */
const DRAG_MIN_PX = 4;
/** So long after the last key an event stays where it was put. */
const KEYS_SETTLE_MS = 900;
/** How near to an edge the hours begin to scroll, and by how much. */
const SCROLL_EDGE_PX = 36;
const SCROLL_STEP_PX = 14;

interface Outcome {
  readonly onmove: (shown: ShownEvent, times: Times) => void;
  readonly oncreate: (times: Times) => void;
}

export class EventDrag {
  /** The event that is under way; null while a new one is drawn. */
  shown = $state.raw<ShownEvent | null>(null);
  /** Where it would go; null while nothing is under way. */
  times = $state.raw<Times | null>(null);
  /** A press that was a drag is no click. */
  wasDrag = false;
  /** What scrolls while something is dragged to its edge. */
  scroller: HTMLElement | undefined;
  readonly #zone: () => string;
  readonly #outcome: Outcome;
  #end: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(zone: () => string, outcome: Outcome) {
    this.#zone = zone;
    this.#outcome = outcome;
  }

  /** The event where it would go, as it is drawn. */
  get ghost(): ShownEvent | null {
    return this.shown && this.times ? { ...this.shown, ...this.times, ...this.#days(this.times) } : null;
  }

  isDragged({ key }: ShownEvent): boolean {
    return this.times !== null && this.shown?.key === key;
  }

  /** Begin to move or stretch an event; a finger scrolls instead, and has a form for it. */
  grab(event: PointerEvent, shown: ShownEvent, kind: DragKind): void {
    event.stopPropagation();
    const from = pointAt(event.clientX, event.clientY);
    if (!from || !shown.canWrite) return;
    this.#follow(event, shown, (point) => this.#dragged(shown, kind, from, point));
  }

  /** Begin to draw a new event. */
  draw(event: PointerEvent): void {
    const from = pointAt(event.clientX, event.clientY);
    if (from?.minute == null) return;
    const start = this.#momentAt(from);
    this.#follow(event, null, (point) => dragOver(start, this.#momentAt(point)));
  }

  /** Move or stretch an event by a key; it is settled a moment after the last one. */
  nudge(shown: ShownEvent, move: KeyMove): void {
    if (!shown.canWrite) return;
    const now = this.isDragged(shown) && this.ghost ? this.ghost : shown;
    this.shown = shown;
    this.times = moveByKey(now, move, this.#zone());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.settle(), KEYS_SETTLE_MS);
  }

  /** Leave the event where it is now. */
  settle(): void {
    const { shown, times } = this;
    this.cancel();
    if (!times) return;
    if (!shown) this.#outcome.oncreate(times);
    else if (times.start !== shown.start || times.end !== shown.end) this.#outcome.onmove(shown, times);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#end?.();
    this.#end = null;
    this.times = null;
    this.shown = null;
  }

  #follow(begin: PointerEvent, shown: ShownEvent | null, timesAt: (point: DragPoint) => Times): void {
    if (begin.button !== 0 || begin.pointerType === 'touch') return;
    this.cancel();
    this.wasDrag = false;
    const onpointermove = (event: PointerEvent) => {
      const moved = Math.hypot(event.clientX - begin.clientX, event.clientY - begin.clientY);
      if (!this.times && moved < DRAG_MIN_PX) return;
      this.wasDrag = true;
      this.#scrollNear(event.clientY);
      const point = pointAt(event.clientX, event.clientY);
      if (point) Object.assign(this, { shown, times: timesAt(point) });
    };
    const onkeydown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      this.cancel();
    };
    const onpointerup = () => this.settle();
    const oncancel = () => this.cancel();
    addEventListener('pointermove', onpointermove);
    addEventListener('pointerup', onpointerup);
    addEventListener('pointercancel', oncancel);
    addEventListener('keydown', onkeydown, true);
    this.#end = () => {
      removeEventListener('pointermove', onpointermove);
      removeEventListener('pointerup', onpointerup);
      removeEventListener('pointercancel', oncancel);
      removeEventListener('keydown', onkeydown, true);
    };
  }

  #dragged(shown: ShownEvent, kind: DragKind, from: DragPoint, to: DragPoint): Times {
    if (kind === 'move') {
      const minutes = from.minute === null || to.minute === null ? 0 : to.minute - from.minute;
      return dragEvent(shown, daysBetween(from.day, to.day), minutes, this.#zone());
    }
    return kind === 'end' ? dragEnd(shown, this.#momentAt(to)) : dragStart(shown, this.#momentAt(to));
  }

  #momentAt({ day, minute }: DragPoint): number {
    return momentOf(measureDay(day, this.#zone()), snap(minute ?? 0));
  }

  #days({ start, end }: Times) {
    return daysOf(start, end, this.#zone());
  }

  #scrollNear(y: number): void {
    const box = this.scroller?.getBoundingClientRect();
    if (!box) return;
    if (y > box.bottom - SCROLL_EDGE_PX) this.scroller?.scrollBy(0, SCROLL_STEP_PX);
    else if (y < box.top + SCROLL_EDGE_PX * 3) this.scroller?.scrollBy(0, -SCROLL_STEP_PX);
  }
}
