/** The calendars of the person who is signed in. */
import { Resource } from '$ui/resource.svelte';
import { toasts } from '$ui/toasts.svelte';
import { changeCalendar, listCalendars, syncCalendar, type Calendar, type CalendarChange } from './requests';
import { noteCalendarChange } from './calendarChanges';
import { words } from './texts';

export class CalendarStore extends Resource<Calendar[]> {
  /** Calendars that are being synced just now, by id. */
  syncing = $state.raw<readonly string[]>([]);
  list = $derived<readonly Calendar[]>(this.value ?? []);
  writable = $derived(this.list.filter(({ is_writable }) => is_writable));
  /** Where new events go. */
  usual = $derived(this.writable.find(({ is_default }) => is_default) ?? this.writable[0]);

  constructor() {
    super(listCalendars);
  }

  find(id: string): Calendar | undefined {
    return this.list.find((calendar) => calendar.id === id);
  }

  /** Change a calendar: seen at once, and taken back where it is refused. */
  async change(calendar: Calendar, change: CalendarChange): Promise<boolean> {
    const before = this.value;
    this.#put({ ...calendar, ...change });
    try {
      this.#put(await changeCalendar(calendar.id, change));
      return true;
    } catch (error) {
      this.value = before;
      toasts.showError(error);
      return false;
    } finally {
      noteCalendarChange();
    }
  }

  /** Fetch from and send to the server of a calendar now. */
  async sync({ id }: Calendar): Promise<void> {
    this.syncing = [...this.syncing, id];
    try {
      const { conflicts, problems } = await syncCalendar(id);
      if (problems.length) toasts.showError(problems.join(' '));
      else toasts.show(conflicts ? words.syncedWithConflicts(conflicts) : words.synced);
    } catch (error) {
      toasts.showError(error);
    } finally {
      this.syncing = this.syncing.filter((other) => other !== id);
      noteCalendarChange();
    }
  }

  #put(calendar: Calendar): void {
    this.value = this.list.map((listed) => (listed.id === calendar.id ? calendar : listed));
  }
}

export const calendarStore = new CalendarStore();
