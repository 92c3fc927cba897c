/** A task that is written while a list is narrowed down should be seen in it. */
import type { QuickAddDefaults } from './quickAdd.svelte';
import type { TaskQuery } from './taskFilter';

export function quickAddDefaults(query: TaskQuery): Partial<QuickAddDefaults> {
  const [status, ...others] = query.status ?? [];
  return {
    ...(query.project_id ? { project_id: query.project_id } : {}),
    ...(query.phase_id ? { phase_id: query.phase_id } : {}),
    ...(query.assignee_id ? { assignee_id: query.assignee_id } : {}),
    ...(query.tag ? { tags: [query.tag] } : {}),
    ...(status && !others.length && status !== 'done' ? { status } : {}),
  };
}
