/** The keys of the inbox. */
import type { Shortcut } from '$ui/shortcuts.svelte';
import type { Decision, Inbox } from './inbox.svelte';
import { words } from './texts';

interface Handlers {
  readonly decide: (decision: Decision) => void;
  /** Show which proposal the keyboard is at. */
  readonly focus: () => unknown;
}

/** Return the shortcuts that work while the inbox is open. */
export function inboxShortcuts(inbox: Inbox, { decide, focus }: Handlers): Shortcut[] {
  /** What lies above the page has keys of its own. */
  const isFree = (): boolean =>
    inbox.current !== undefined && !inbox.editing && !document.querySelector('[role=dialog], [role=menu]');
  const move = (steps: number) => () => {
    if (!isFree()) return false;
    inbox.move(steps);
    return focus();
  };
  const act = (doing: () => void) => () => (isFree() ? doing() : false);
  return [
    { keys: 'J', label: words.next, act: move(1) },
    { keys: 'K', label: words.previous, act: move(-1) },
    { keys: 'ArrowDown', label: words.next, act: move(1) },
    { keys: 'ArrowUp', label: words.previous, act: move(-1) },
    { keys: 'A', label: words.approveKey, act: act(() => decide('approve')) },
    { keys: 'E', label: words.editKey, act: act(() => (inbox.editing = inbox.current?.id ?? null)) },
    { keys: 'X', label: words.rejectKey, act: act(() => decide('reject')) },
  ];
}
