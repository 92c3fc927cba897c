/** Short news at the edge of the screen, with one thing to do about it. */
export interface Toast {
  id: number;
  text: string;
  kind: 'news' | 'problem';
  /** It is about a connection that is lost just now, and untrue once that is back. */
  isTransient: boolean;
  action?: { label: string; act: () => void };
}

const NEWS_TTL_MS = 5_000;
/** What one may want to act upon. */
const ACTION_TTL_MS = 10_000;
/** Of those without an action. */
const SHOWN_MAX = 3;

class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  #hosts = $state.raw<readonly string[]>([]);
  #timers = new Map<number, ReturnType<typeof setTimeout>>();
  #next = 1;

  /** Say something; it goes away by itself. */
  show(text: string, action?: Toast['action']): void {
    this.#show({ text, kind: 'news', isTransient: false, ...(action ? { action } : {}) });
  }

  /** Say what went wrong, and offer what can be done about it. */
  showError(error: unknown, action?: Toast['action']): void {
    const text = error instanceof Error ? error.message : String(error);
    const isTransient = error instanceof Error && 'isTransient' in error && error.isTransient === true;
    this.#show({ text, kind: 'problem', isTransient, ...(action ? { action } : {}) });
  }

  dismiss(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  /** The server can be reached again: what was said about that is over. */
  dismissTransient(): void {
    for (const { id, isTransient } of this.list) if (isTransient) this.dismiss(id);
  }

  /** Show them in a part of the page until the returned function is called: a modal is the only one in reach. */
  addHost(host: string): () => void {
    this.#hosts = [...this.#hosts, host];
    return () => (this.#hosts = this.#hosts.filter((other) => other !== host));
  }

  /** Tell whether a part of the page is the one that opened last. */
  isShownIn(host: string): boolean {
    return this.#hosts.at(-1) === host;
  }

  #show(said: Omit<Toast, 'id'>): void {
    // What can be undone is said for each: every one is undone by itself.
    const same = this.list.find(
      ({ text, kind, action }) => text === said.text && kind === said.kind && !action,
    );
    const toast = same && !said.action ? same : { id: this.#next++, ...said };
    if (toast !== same) this.list = [...this.list, toast];
    // What can be undone stays for its time, however many there are.
    const [oldest, ...others] = this.list.filter(({ action }) => !action);
    if (oldest && others.length >= SHOWN_MAX) this.dismiss(oldest.id);
    clearTimeout(this.#timers.get(toast.id));
    const isBrief = toast.kind === 'news' && !toast.action;
    this.#timers.set(
      toast.id,
      setTimeout(() => this.dismiss(toast.id), isBrief ? NEWS_TTL_MS : ACTION_TTL_MS),
    );
  }
}

export const toasts = new Toasts();
