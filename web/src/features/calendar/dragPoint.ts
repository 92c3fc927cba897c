/** Which day and time of day lies under the pointer. */
import { DAY_MINUTES, type Day } from '$lib/zonedTime';

export interface DragPoint {
  readonly day: Day;
  /** Minutes of the column; null where days have no hours. */
  readonly minute: number | null;
}

/** Return the place under the pointer; days have `data-day`, and those with hours `data-hours`. */
export function pointAt(x: number, y: number): DragPoint | null {
  for (const element of document.elementsFromPoint(x, y)) {
    const column = element.closest<HTMLElement>('[data-day]');
    if (!column?.dataset.day) continue;
    const { top, height } = column.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (y - top) / height));
    return { day: column.dataset.day, minute: 'hours' in column.dataset ? share * DAY_MINUTES : null };
  }
  return null;
}
