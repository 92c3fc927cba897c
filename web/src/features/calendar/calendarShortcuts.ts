/** The keys of the calendar. */
import type { Shortcut } from '$ui/shortcuts.svelte';
import { stepView, VIEWS, type CalendarView } from './calendarView';
import { words } from './texts';

interface CalendarDoors {
  readonly view: () => CalendarView;
  readonly today: () => string;
  /** Whether something else has the keys just now. */
  readonly isBusy: () => boolean;
  readonly onview: (view: CalendarView) => void;
  readonly oncreate: () => void;
  readonly onquick: () => void;
}

export function calendarShortcuts(doors: CalendarDoors): Shortcut[] {
  const says = words.shortcuts;
  const key = (keys: string, label: string, act: () => void): Shortcut => ({
    keys,
    label,
    act: () => (doors.isBusy() ? false : act()),
  });
  const go = (change: (view: CalendarView) => CalendarView) => () => doors.onview(change(doors.view()));
  return [
    key(
      't',
      says.today,
      go((view) => ({ ...view, date: doors.today() })),
    ),
    ...VIEWS.map((name) =>
      key(
        name.charAt(0),
        says[name],
        go(({ date }) => ({ view: name, date })),
      ),
    ),
    key('n', says.create, doors.oncreate),
    key('q', says.quick, doors.onquick),
    key(
      'ArrowLeft',
      says.earlier,
      go((view) => stepView(view, -1)),
    ),
    key(
      'ArrowRight',
      says.later,
      go((view) => stepView(view, 1)),
    ),
  ];
}
