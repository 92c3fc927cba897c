/** What of a form about a task is not so already: the rest may have been changed elsewhere. */
import type { Task, TaskChange } from './requests';

export function changedFields(task: Task, values: TaskChange): TaskChange {
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(task[name as keyof Task]) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed);
}
