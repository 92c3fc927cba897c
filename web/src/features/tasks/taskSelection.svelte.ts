/** Which tasks are selected, and at which one the keyboard is. */
import { SvelteSet } from 'svelte/reactivity';
import type { Task } from './requests';

export class TaskSelection {
  readonly ids = new SvelteSet<string>();
  /** Which task is being edited in its row. */
  editing = $state<string | null>(null);
  #current = $state('');
  #place = $state(0);
  readonly #tasks: () => readonly Task[];

  /** Takes what gives the tasks that are shown, in their order. */
  constructor(tasks: () => readonly Task[]) {
    this.#tasks = tasks;
  }

  /** The task that the keyboard is at: where it is gone, the one that took its place. */
  get current(): Task | undefined {
    const tasks = this.#tasks();
    return tasks.find(({ id }) => id === this.#current) ?? tasks[Math.min(this.#place, tasks.length - 1)];
  }

  /** Those that are selected and still there. */
  get selected(): string[] {
    return this.#tasks()
      .map(({ id }) => id)
      .filter((id) => this.ids.has(id));
  }

  /** What something is done with: the selected ones, else the one that the keyboard is at. */
  get meant(): string[] {
    const { selected, current } = this;
    return selected.length ? selected : current ? [current.id] : [];
  }

  pick(id: string): void {
    this.#current = id;
    this.#place = Math.max(
      0,
      this.#tasks().findIndex((task) => task.id === id),
    );
  }

  /** Go some tasks on or back; false where there is none. The first step goes to the first task. */
  move(steps: number): boolean {
    const tasks = this.#tasks();
    const at = tasks.findIndex(({ id }) => id === this.#current);
    const next = at < 0 ? this.current : tasks[at + steps];
    if (next) this.pick(next.id);
    return next !== undefined;
  }

  toggle(id: string): void {
    if (!this.ids.delete(id)) this.ids.add(id);
  }

  /** Select all from the one that the keyboard is at to another. */
  extend(id: string): void {
    const tasks = this.#tasks();
    const places = [this.#current, id].map((wanted) => tasks.findIndex((task) => task.id === wanted));
    const [from, to] = [Math.min(...places), Math.max(...places)];
    if (from < 0) return this.toggle(id);
    for (const task of tasks.slice(from, to + 1)) this.ids.add(task.id);
  }

  selectAll(on: boolean): void {
    this.ids.clear();
    if (on) for (const { id } of this.#tasks()) this.ids.add(id);
  }
}
