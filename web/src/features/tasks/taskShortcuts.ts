/** The keys of a page of tasks. */
import type { Shortcut } from '$ui/shortcuts.svelte';
import type { Task } from './requests';
import type { TasksPageState } from './tasksPageState.svelte';
import { words } from './texts';

interface Handlers {
  readonly canWrite: boolean;
  /** Bring the task that the keyboard is at into sight. */
  readonly focus: () => unknown;
  readonly open: (task: Task) => unknown;
  readonly add: () => unknown;
  readonly switchView: () => unknown;
}

/** Return the shortcuts that work while tasks are shown. */
export function taskShortcuts(state: TasksPageState, handlers: Handlers): Shortcut[] {
  const { selection } = state;
  /** What lies above the page has keys of its own. */
  const isFree = (): boolean =>
    selection.editing === null && !document.querySelector('[role=dialog], [role=menu]');
  const go = (steps: number) => () => isFree() && selection.move(steps) && handlers.focus();
  const act = (doing: (task: Task) => unknown) => () => {
    const task = selection.current;
    return task && isFree() ? doing(task) : false;
  };
  const moving = (doing: (task: Task) => boolean) =>
    act((task) => doing(task) && (selection.pick(task.id), handlers.focus()));
  const reading: Shortcut[] = [
    { keys: 'J', label: words.keys.next, act: go(1) },
    { keys: 'K', label: words.keys.previous, act: go(-1) },
    { keys: 'O', label: words.keys.open, act: act(handlers.open) },
    { keys: 'V', label: words.keys.view, act: () => isFree() && handlers.switchView() },
  ];
  const writing: Shortcut[] = [
    { keys: 'N', label: words.keys.new, act: () => isFree() && handlers.add() },
    { keys: 'X', label: words.keys.select, act: act((task) => selection.toggle(task.id)) },
    { keys: 'E', label: words.keys.edit, act: act((task) => void (selection.editing = task.id)) },
    { keys: 'D', label: words.keys.done, act: act((task) => void state.toggleDone(task)) },
    { keys: 'Delete', label: words.keys.delete, act: act(() => void state.remove(selection.meant)) },
    { keys: 'Shift+ArrowUp', label: words.keys.up, act: moving((task) => state.step(task, -1)) },
    { keys: 'Shift+ArrowDown', label: words.keys.down, act: moving((task) => state.step(task, 1)) },
    { keys: 'Shift+ArrowLeft', label: words.keys.left, act: moving((task) => state.shift(task, -1)) },
    { keys: 'Shift+ArrowRight', label: words.keys.right, act: moving((task) => state.shift(task, 1)) },
  ];
  return handlers.canWrite ? [...reading, ...writing] : reading;
}
