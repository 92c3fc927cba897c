/** What can be chosen for a field of a task. */
import { projects } from '$features/projects/projects.svelte';
import { listPhases, type Phase, type TaskPriority, type TaskStatus } from './requests';
import { TASK_PRIORITIES, TASK_STATUSES } from './taskFilter';
import { words } from './texts';

export const statusOptions: { value: TaskStatus; label: string }[] = TASK_STATUSES.map((value) => ({
  value,
  label: words.statuses[value],
}));

export const priorityOptions: { value: TaskPriority; label: string }[] = TASK_PRIORITIES.map((value) => ({
  value,
  label: words.priorities[value],
}));

/** The projects by name, those that are worked on first. */
export const projectOptions = (): { value: string; label: string }[] =>
  [...projects.list]
    .sort((a, b) => Number(a.status !== 'active') - Number(b.status !== 'active'))
    .map(({ id, name }) => ({ value: id, label: name }));

/** Names that come late would push rows away from under the pointer. */
export const areProjectsKnown = (): boolean => projects.loaded || projects.problem !== null;

export const projectName = (id: string | null): string | undefined =>
  projects.list.find((project) => project.id === id)?.name;

/** The phases of one project, fetched when they are wanted. */
export class PhaseOptions {
  list = $state.raw<readonly Phase[]>([]);
  #projectId = '';

  async load(projectId: string): Promise<void> {
    if (projectId === this.#projectId) return;
    this.#projectId = projectId;
    this.list = [];
    if (projectId) await this.reload();
  }

  /** Fetch them anew; where they cannot be had there is nothing to choose. */
  async reload(): Promise<void> {
    const projectId = this.#projectId;
    const found = projectId ? await listPhases(projectId).catch(() => []) : [];
    if (projectId === this.#projectId) this.list = found;
  }

  get options(): { value: string; label: string }[] {
    return this.list.map(({ id, name }) => ({ value: id, label: name }));
  }

  name(id: string | null): string | undefined {
    return this.list.find((phase) => phase.id === id)?.name;
  }
}
