/** What a person does with tasks. What is refused is said, and null or false comes back. */
import { offerUndo, type Deletion } from '$features/deletions/undo';
import { toasts } from '$ui/toasts.svelte';
import {
  changeTask,
  changeTasks,
  createConversationAbout,
  deleteTasks,
  type Task,
  type TaskChange,
} from './requests';
import { words } from './texts';

type ChangedField = keyof TaskChange & keyof Task;

/** Do something; null when the server refused it, and then its sentence is shown. */
export async function attempt<T>(doing: () => Promise<T>): Promise<T | null> {
  try {
    return await doing();
  } catch (error) {
    toasts.showError(error);
    return null;
  }
}

export const editTask = (task: Task, change: TaskChange): Promise<Task | null> =>
  attempt(() => changeTask(task.id, change));

/** Mark a task as done, with a way back; or as something to do again. */
export async function toggleDone(task: Task, onundone: (task: Task) => void): Promise<Task | null> {
  const isDone = task.status === 'done';
  const changed = await editTask(task, { status: isDone ? 'backlog' : 'done' });
  if (changed && !isDone) {
    const act = async (): Promise<void> => {
      const restored = await editTask(changed, { status: task.status });
      if (restored) onundone(restored);
    };
    toasts.show(task.rrule ? words.doneNext : words.done, { label: words.undo, act: () => void act() });
  }
  return changed;
}

/** Change several tasks in the same way; one undo gives each back what it said before. */
export async function changeSelected(tasks: readonly Task[], change: TaskChange): Promise<boolean> {
  const ids = tasks.map(({ id }) => id);
  const changed = await attempt(() => changeTasks(ids, change));
  if (!changed) return false;
  toasts.show(words.changed(ids.length), { label: words.undo, act: () => void undoChange(tasks, change) });
  return true;
}

async function undoChange(tasks: readonly Task[], change: TaskChange): Promise<void> {
  const names = fieldsToRestore(change);
  await attempt(async () => {
    for (const [ids, before] of groupByValues(tasks, names)) await changeTasks(ids, before);
  });
}

/** A project that is changed takes the phase with it. */
const fieldsToRestore = (change: TaskChange): ChangedField[] => {
  const names = Object.keys(change) as ChangedField[];
  return names.includes('project_id') ? [...new Set([...names, 'phase_id', 'assignee_id'] as const)] : names;
};

/** Gather the ids of tasks that said the same, with what they said: each group is one request. */
export function groupByValues(
  tasks: readonly Task[],
  names: readonly ChangedField[],
): [ids: string[], values: TaskChange][] {
  const groups = new Map<string, [string[], TaskChange]>();
  for (const task of tasks) {
    const values = Object.fromEntries(names.map((name) => [name, task[name]])) as TaskChange;
    const key = JSON.stringify(values);
    const group = groups.get(key) ?? [[], values];
    group[0].push(task.id);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Add a tag to tasks: each keeps the others that it has. */
export async function tagSelected(tasks: readonly Task[], tag: string): Promise<boolean> {
  const untagged = tasks.filter(({ tags }) => !tags.includes(tag));
  const tagged = await attempt(async () => {
    for (const [ids, { tags = [] }] of groupByValues(untagged, ['tags']))
      await changeTasks(ids, { tags: [...tags, tag] });
    return true;
  });
  if (!tagged) return false;
  const act = (): void => void undoChange(untagged, { tags: [] });
  toasts.show(words.changed(untagged.length), { label: words.undo, act });
  return true;
}

/** Delete tasks, with one way back for all of them. */
export async function removeTasks(ids: readonly string[], onrestored: () => unknown): Promise<boolean> {
  const deletion = await attempt<Deletion>(() => deleteTasks(ids));
  if (!deletion) return false;
  const restored = (): void => {
    toasts.show(words.restored);
    onrestored();
  };
  offerUndo(deletion, { text: words.deleted(ids.length), label: words.undo, onrestored: restored });
  return true;
}

/** Begin a conversation about a task, and go there. */
export async function talkAbout(taskId: string, go: (href: string) => unknown): Promise<void> {
  const conversation = await attempt(() => createConversationAbout(taskId));
  if (conversation) await go(`/c/${conversation.id}`);
}
