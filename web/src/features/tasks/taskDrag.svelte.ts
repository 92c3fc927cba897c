/** A task that is dragged within the page, and where it would come to stand. */
import type { Task, TaskStatus } from './requests';
import { indexAtHeight } from './taskOrder';

const DRAG_MIME_TYPE = 'application/x-tertulia-task';

export interface DropPlace {
  /** The column of a board; empty in a list. */
  readonly column: TaskStatus | '';
  readonly index: number;
}

class TaskDrag {
  task = $state.raw<Task | null>(null);
  place = $state.raw<DropPlace | null>(null);

  begin(event: DragEvent, task: Task): void {
    this.task = task;
    event.dataTransfer?.setData(DRAG_MIME_TYPE, task.id);
    if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
  }

  /** Say where something that is held over a list would be dropped; false where it is no task. */
  hover(event: DragEvent, column: DropPlace['column']): boolean {
    if (!this.task || !event.dataTransfer?.types.includes(DRAG_MIME_TYPE)) return false;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
    const rows = (event.currentTarget as HTMLElement).querySelectorAll('[data-task]');
    const middles = [...rows].map((row) => {
      const { top, height } = row.getBoundingClientRect();
      return top + height / 2;
    });
    const index = indexAtHeight(middles, event.clientY);
    if (this.place?.column !== column || this.place.index !== index) this.place = { column, index };
    return true;
  }

  /** Whether a task would be dropped right before the one at an index. */
  isAt(column: DropPlace['column'], index: number): boolean {
    return this.place?.column === column && this.place.index === index;
  }

  end(): void {
    this.task = null;
    this.place = null;
  }
}

export const taskDrag = new TaskDrag();
