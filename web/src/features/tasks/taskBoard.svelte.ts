/** The board: a column for each status, and tasks that are moved between and within them. */
import { toasts } from '$ui/toasts.svelte';
import { moveTask, type Task, type TaskStatus } from './requests';
import { columnQuery, TASK_STATUSES, type TaskFilter } from './taskFilter';
import { TaskList } from './taskList.svelte';
import { stepAfter } from './taskOrder';

export interface BoardColumn {
  readonly status: TaskStatus;
  readonly list: TaskList;
}

export class TaskBoard {
  readonly columns: readonly BoardColumn[] = TASK_STATUSES.map((status) => ({
    status,
    list: new TaskList(),
  }));

  async load(filter: TaskFilter, viewer: { today: string; userId: string }): Promise<void> {
    await Promise.all(this.columns.map(({ status, list }) => list.load(columnQuery(filter, status, viewer))));
  }

  async reload(): Promise<void> {
    await Promise.all(this.columns.map(({ list }) => list.reload()));
  }

  stop(): void {
    for (const { list } of this.columns) list.stop();
  }

  /** All tasks that are shown, column by column. */
  get tasks(): Task[] {
    return this.columns.flatMap(({ list }) => list.items);
  }

  column(status: TaskStatus): BoardColumn {
    const found = this.columns.find((column) => column.status === status);
    if (!found) throw new Error(`The board has no column ${status}.`);
    return found;
  }

  put(task: Task): void {
    for (const { list } of this.columns) list.put(task);
  }

  /** Put a task right after another of a column, or first: at once here, then on the server. */
  async move(task: Task, status: TaskStatus, after: string | null): Promise<boolean> {
    const from = this.column(task.status).list;
    const to = this.column(status).list;
    const moving = () => moveTask(task.id, after, status);
    if (from !== to) from.drop([task.id]);
    to.place({ ...task, status }, after);
    try {
      const moved = await from.holdWhile(() => to.holdWhile(moving));
      to.put(moved);
      return true;
    } catch (error) {
      toasts.showError(error);
      return false;
    } finally {
      void this.reload();
    }
  }

  /** Move a task some places within its column; false where it is at the end. */
  step(task: Task, steps: number): Promise<boolean> | false {
    const after = stepAfter(this.column(task.status).list.items, task.id, steps);
    return after === undefined ? false : this.move(task, task.status, after);
  }

  /** Move a task to the top of a neighbouring column; false where there is none. */
  shift(task: Task, steps: number): Promise<boolean> | false {
    const at = TASK_STATUSES.indexOf(task.status);
    const status = TASK_STATUSES[at + steps];
    return status === undefined ? false : this.move(task, status, null);
  }
}
