import { goto } from '$app/navigation';
import { session } from '$features/session/session.svelte';
import { sidebarState } from '$features/sidebar/sidebarState.svelte';
import { conversationStore } from '$features/sidebar/conversationStore.svelte';
import type { PaletteHandlers } from './commands.svelte';
import type { Palette } from './palette.svelte';
import type { Shortcut } from '$ui/shortcuts.svelte';
import { words } from './texts';

/** Return the shortcuts that work on every page. */
export function globalShortcuts(palette: Palette, doors: PaletteHandlers): Shortcut[] {
  return [
    { keys: 'Mod+K', label: words.search, act: () => void (palette.open = !palette.open) },
    { keys: 'Mod+Shift+O', label: words.start, act: () => (session.canWrite ? void goto('/') : false) },
    { keys: 'Mod+B', label: words.sidebar, act: () => sidebarState.toggle() },
    { keys: '?', label: words.shortcuts, act: doors.shortcuts },
    { keys: 'Escape', label: words.close, act: clearSearch },
  ];
}

/** Dialogs close themselves on Escape; what is left is the search of the sidebar. */
function clearSearch(): boolean {
  if (!conversationStore.search) return false;
  conversationStore.search = '';
  return true;
}
