/** Which event has the focus: one that goes to another day is drawn anew there, and keeps it. */
export const focusedEvent = (): string | undefined =>
  (document.activeElement as HTMLElement | null)?.dataset.event;

export function focusEvent(key: string): void {
  document.querySelector<HTMLElement>(`[data-event="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}
