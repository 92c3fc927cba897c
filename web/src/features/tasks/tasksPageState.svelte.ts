/** What a page of tasks has in common as list and as board: what is shown, selected and done with it. */
import { toasts } from '$ui/toasts.svelte';
import { moveTask, type Task, type TaskChange, type TaskStatus } from './requests';
import { changeSelected, editTask, removeTasks, tagSelected, toggleDone } from './taskActions';
import { TaskBoard } from './taskBoard.svelte';
import { taskQuery, type TaskFilter } from './taskFilter';
import { TaskList } from './taskList.svelte';
import { stepAfter } from './taskOrder';
import { TaskSelection } from './taskSelection.svelte';
import { viewer } from './taskViewer';
import { words } from './texts';

export class TasksPageState {
  readonly list = new TaskList();
  readonly board = new TaskBoard();
  readonly selection = new TaskSelection(() => this.tasks);
  /** What has just happened, for those who do not see it. */
  announcement = $state('');
  #filter = $state.raw<TaskFilter | null>(null);

  get isBoard(): boolean {
    return this.#filter?.view === 'board';
  }

  /** Whether tasks stand in the order that people gave to them, so that it can be changed. */
  get isOrdered(): boolean {
    return this.isBoard || this.#filter?.sort === 'position';
  }

  /** The tasks that are shown, in their order. */
  get tasks(): readonly Task[] {
    return this.isBoard ? this.board.tasks : this.list.items;
  }

  get selectedTasks(): Task[] {
    const ids = this.selection.meant;
    return this.tasks.filter(({ id }) => ids.includes(id));
  }

  async load(filter: TaskFilter): Promise<void> {
    this.#filter = filter;
    await (this.isBoard ? this.board.load(filter, viewer()) : this.list.load(taskQuery(filter, viewer())));
  }

  async reload(): Promise<void> {
    await (this.isBoard ? this.board.reload() : this.list.reload());
  }

  stop(): void {
    this.list.stop();
    this.board.stop();
  }

  async toggleDone(task: Task): Promise<void> {
    if (await toggleDone(task, () => void this.reload())) await this.reload();
  }

  /** Change one task; false where that was refused. */
  async save(task: Task, change: TaskChange): Promise<boolean> {
    const changed = await editTask(task, change);
    if (!changed) return false;
    this.list.put(changed);
    this.board.put(changed);
    void this.reload();
    return true;
  }

  /** Change all that are selected. */
  async change(change: TaskChange): Promise<void> {
    if (await changeSelected(this.selectedTasks, change)) await this.reload();
  }

  async tag(tag: string): Promise<void> {
    if (await tagSelected(this.selectedTasks, tag)) await this.reload();
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (!ids.length || !(await removeTasks(ids, () => void this.reload()))) return;
    for (const id of ids) this.selection.ids.delete(id);
    this.list.drop(ids);
    for (const { list } of this.board.columns) list.drop(ids);
    await this.reload();
  }

  /** Put a task right after another, on the board into a column. */
  async move(task: Task, status: TaskStatus, after: string | null): Promise<void> {
    const isMoved = this.isBoard
      ? await this.board.move(task, status, after)
      : await this.#moveInList(task, after);
    if (isMoved) this.#announceMove(task.id);
  }

  /** Move a task some places up or down. */
  step(task: Task, steps: number): boolean {
    const around = this.isBoard ? this.board.column(task.status).list.items : this.list.items;
    const after = stepAfter(around, task.id, steps);
    if (after === undefined || !this.isOrdered) return false;
    void this.move(task, task.status, after);
    return true;
  }

  /** Move a task into a neighbouring column. */
  shift(task: Task, steps: number): boolean {
    const moving = this.isBoard && this.board.shift(task, steps);
    if (!moving) return false;
    void moving.then((isMoved) => isMoved && this.#announceMove(task.id));
    return true;
  }

  async #moveInList(task: Task, after: string | null): Promise<boolean> {
    this.list.place(task, after);
    try {
      await this.list.holdWhile(() => moveTask(task.id, after, task.status));
      return true;
    } catch (error) {
      toasts.showError(error);
      return false;
    } finally {
      void this.list.reload();
    }
  }

  #announceMove(id: string): void {
    const task = this.tasks.find((shown) => shown.id === id);
    if (!task) return;
    const around = this.isBoard ? this.board.column(task.status).list.items : this.list.items;
    const place = around.findIndex((shown) => shown.id === id) + 1;
    this.announcement = this.isBoard
      ? words.moved(task.title, words.statuses[task.status], place, around.length)
      : words.movedInList(task.title, place, around.length);
  }
}
