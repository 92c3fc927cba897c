/** Short news at the edge of the screen, with one thing to do about it. */
export interface Toast {
  id: number;
  text: string;
  kind: 'news' | 'problem';
  action?: { label: string; act: () => void };
}

class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;

  /** Say something; it goes away by itself. */
  say(text: string, action?: Toast['action'], kind: Toast['kind'] = 'news'): void {
    const toast = { id: this.#next++, text, kind, ...(action ? { action } : {}) };
    this.list = [...this.list.slice(-2), toast];
    setTimeout(() => this.dismiss(toast.id), action || kind === 'problem' ? 10_000 : 5_000);
  }

  /** Say what went wrong. */
  problem(error: unknown): void {
    this.say(error instanceof Error ? error.message : String(error), undefined, 'problem');
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();
