/** Whether the sidebar is shown: beside the page on wide screens, as a drawer on narrow ones. */
import { MediaQuery } from 'svelte/reactivity';

const SIDEBAR_STORAGE_KEY = 'tertulia.sidebar';

class SidebarState {
  readonly #wide = new MediaQuery('min-width: 768px');
  #expanded = $state(localStorage.getItem(SIDEBAR_STORAGE_KEY) !== 'closed');
  drawer = $state(false);

  get isWide(): boolean {
    return this.#wide.current;
  }

  get expanded(): boolean {
    return this.#expanded;
  }

  /** Show it where it is hidden, hide it where it is shown. */
  toggle(): void {
    if (!this.isWide) {
      this.drawer = !this.drawer;
      return;
    }
    this.#expanded = !this.#expanded;
    localStorage.setItem(SIDEBAR_STORAGE_KEY, this.#expanded ? 'open' : 'closed');
  }

  /** Make sure that it is shown. */
  show(): void {
    if (!(this.isWide ? this.expanded : this.drawer)) this.toggle();
  }
}

export const sidebarState = new SidebarState();
