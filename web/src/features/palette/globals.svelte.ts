import { goto } from '$app/navigation';
import { session } from '$features/session/session.svelte';
import { panel } from '$features/sidebar/panel.svelte';
import { shelf } from '$features/sidebar/shelf.svelte';
import type { Doors } from './actions.svelte';
import type { Palette } from './palette.svelte';
import type { Shortcut } from './shortcuts.svelte';
import { words } from './texts';

/** Return the shortcuts that work on every page. */
export function globalShortcuts(palette: Palette, doors: Doors): Shortcut[] {
  return [
    { keys: 'Mod+K', label: words.search, act: () => void (palette.open = !palette.open) },
    { keys: 'Mod+Shift+O', label: words.start, act: () => (session.canWrite ? void goto('/') : false) },
    { keys: 'Mod+B', label: words.sidebar, act: () => panel.toggle() },
    { keys: '?', label: words.shortcuts, act: doors.shortcuts },
    { keys: 'Escape', label: words.close, act: clearSearch },
  ];
}

/** Dialogs close themselves on Escape; what is left is the search of the sidebar. */
function clearSearch(): boolean {
  if (!shelf.search) return false;
  shelf.search = '';
  return true;
}
