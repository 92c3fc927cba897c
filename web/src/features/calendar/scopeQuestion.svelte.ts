/** The question which times of a recurring event are meant. */
import type { CalendarEvent, Scope } from './requests';

type Purpose = 'change' | 'delete';

class ScopeQuestion {
  purpose = $state<Purpose>('change');
  isOpen = $state(false);
  #answer: (scope: Scope | null) => void = () => undefined;

  /** Ask where there is something to ask; null when the person thought better of it. */
  ask(event: Pick<CalendarEvent, 'is_recurring'>, purpose: Purpose): Promise<Scope | null> {
    if (!event.is_recurring) return Promise.resolve('all');
    this.purpose = purpose;
    this.isOpen = true;
    return new Promise((resolve) => (this.#answer = resolve));
  }

  answer(scope: Scope | null): void {
    this.isOpen = false;
    this.#answer(scope);
    this.#answer = () => undefined;
  }
}

export const scopeQuestion = new ScopeQuestion();
