/** When tasks are due, in the words and under the headings that lists have for it. */
import { dayLabel, daysBetween } from '$lib/days';
import type { Task } from './requests';

export type DueTone = 'overdue' | 'today' | 'later';
export type DueGroup = 'overdue' | 'today' | 'tomorrow' | 'week' | 'later' | 'none';
type Dated = Pick<Task, 'due_date' | 'start_date' | 'status'>;

/** The day that lists and filters go by. */
export const taskDay = ({ due_date, start_date }: Pick<Task, 'due_date' | 'start_date'>): string | null =>
  due_date ?? start_date;

/** How much a due date presses: what is done is never overdue. */
export function dueTone(task: Dated, today: string): DueTone {
  if (task.status === 'done' || !task.due_date || task.due_date > today) return 'later';
  return task.due_date < today ? 'overdue' : 'today';
}

/** Say when a task is due, or where it has no due date, when it begins; empty without both. */
export function dueLabel(task: Dated, today: string): string {
  const day = taskDay(task);
  if (!day) return '';
  const label = dayLabel(day, today);
  return task.due_date
    ? label
    : `From ${/^(Today|Tomorrow|Yesterday)$/.test(label) ? label.toLowerCase() : label}`;
}

/** Under which heading a task stands where the list goes by days. */
export function dueGroup(task: Dated, today: string): DueGroup {
  const day = taskDay(task);
  if (!day) return 'none';
  const away = daysBetween(today, day);
  if (away < 0) return 'overdue';
  if (away < 2) return away === 0 ? 'today' : 'tomorrow';
  return away < 7 ? 'week' : 'later';
}

export interface TaskGroup {
  readonly group: DueGroup;
  readonly tasks: readonly Task[];
}

/** Part a list that goes by days into headings, in its order. */
export function groupByDue(tasks: readonly Task[], today: string): TaskGroup[] {
  const groups: { group: DueGroup; tasks: Task[] }[] = [];
  for (const task of tasks) {
    const group = dueGroup(task, today);
    const last = groups.at(-1);
    if (last?.group === group) last.tasks.push(task);
    else groups.push({ group, tasks: [task] });
  }
  return groups;
}

/** Minutes in words: `45 min`, `1 h 30 min`. */
export function durationText(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours ? `${hours} h` : '', rest || !hours ? `${rest} min` : ''].filter(Boolean).join(' ');
}
