/** Which event is open, to be read or written. */
import { changedBody, eventForm, formBody, newEventForm, type EventDraft, type EventForm } from './eventForm';
import { changeInOrder, removeEvent } from './eventActions';
import { noteCalendarChange } from './calendarChanges';
import { createEvent, getEvent, isLostRace, type CalendarEvent } from './requests';
import { scopeQuestion } from './scopeQuestion.svelte';
import { words } from './texts';
import { toasts } from '$ui/toasts.svelte';

export class EventDialog {
  /** The event that is shown or changed; null for a new one. */
  event = $state.raw<CalendarEvent | null>(null);
  /** What stands in the form at first; null while an event is only read. */
  form = $state.raw<EventForm | null>(null);
  problem = $state('');
  isOpen = $state(false);

  read(event: CalendarEvent): void {
    Object.assign(this, { event, form: null, problem: '', isOpen: true });
  }

  /** Fetch an event and show it; what is not there is told. */
  async open(id: string, recurrenceId: string | null): Promise<void> {
    try {
      this.read(await getEvent(id, recurrenceId));
    } catch (error) {
      toasts.showError(error);
    }
  }

  /** Begin a new event. */
  write(draft: EventDraft, calendarId: string, zone: string): void {
    const form = newEventForm(draft, calendarId, zone);
    Object.assign(this, { event: null, form, problem: '', isOpen: true });
  }

  edit(zone: string): void {
    if (this.event) this.form = eventForm(this.event, zone);
  }

  close(): void {
    this.isOpen = false;
  }

  async remove(): Promise<void> {
    if (this.event && (await removeEvent(this.event))) this.close();
  }

  /** Save what was written; what is refused stays in the form, with the reason. */
  async save(form: EventForm): Promise<boolean> {
    const saved = this.event ? await this.#change(this.event, form) : await this.#create(form);
    if (saved) this.close();
    return saved;
  }

  async #create(form: EventForm): Promise<boolean> {
    return this.#attempt(() => createEvent(formBody(form)));
  }

  async #change(event: CalendarEvent, form: EventForm): Promise<boolean> {
    const change = changedBody(this.form ?? form, form);
    if (!Object.keys(change).length) return true;
    const scope = await scopeQuestion.ask(event, 'change');
    if (!scope) return false;
    return this.#attempt(() => changeInOrder(event, change, scope));
  }

  async #attempt(doing: () => Promise<CalendarEvent>): Promise<boolean> {
    try {
      await doing();
      toasts.show(words.saved);
      return true;
    } catch (error) {
      if (isLostRace(error)) await this.#takeNotice();
      else this.problem = (error as Error).message;
      return false;
    } finally {
      noteCalendarChange();
    }
  }

  /** Somebody was quicker: whoever saves once more has seen that, and means it. */
  async #takeNotice(): Promise<void> {
    this.problem = words.lostRaceInForm;
    const { id, recurrence_id } = this.event ?? {};
    const now = id ? await getEvent(id, recurrence_id ?? null).catch(() => null) : null;
    if (now) this.event = now;
  }
}
