/** The words of the calendar. */
import { translate } from '$lib/texts';

const events = (count: number): string => (count === 1 ? '1 event' : `${count} events`);

export const words = translate({
  title: 'Calendar',
  views: { day: 'Day', week: 'Week', month: 'Month', agenda: 'Agenda' },
  view: 'What to show',
  today: 'Today',
  earlier: 'Earlier',
  later: 'Later',
  create: 'New event',
  talk: 'Talk about this day',
  loading: 'Fetching your calendar…',
  again: 'Try again',
  untitled: '(no title)',
  allDay: 'All day',
  now: 'Now',
  more: (count: number) => `${count} more`,
  dayOf: (day: string, count: number) => (count ? `${day}, ${events(count)}` : day),
  openDay: (day: string) => `Open ${day}`,
  agendaEmpty: 'Nothing planned',
  agendaEmptyHint: (days: number) => `There is no event in these ${days} days.`,
  until: (time: string) => `until ${time}`,
  timeZone: (zone: string) => `Times in ${zone}`,
  zoneNote: (text: string) => `${text} where it takes place`,
  missingHour: 'The clocks leave this hour out',
  repeatedHour: 'The clocks show this hour twice',

  calendars: 'Calendars',
  showCalendar: (name: string) => `Show ${name}`,
  manage: 'Accounts and settings',
  sync: 'Sync now',
  syncing: 'Syncing…',
  synced: 'Up to date.',
  syncedWithConflicts: (count: number) =>
    `Up to date. ${count === 1 ? '1 event was' : `${count} events were`} changed in both places: what the server had was kept.`,
  syncedAgo: (ago: string) => `Synced ${ago}`,
  neverSynced: 'Not synced yet',
  waitingChanges: (count: number) => (count === 1 ? '1 change waits' : `${count} changes wait`),
  readOnly: 'Read only',
  usual: 'Usual',

  quick: 'Quick entry',
  quickPlaceholder: 'Lunch with Mara on Friday at 1 pm…',
  quickSave: 'Save',
  quickMore: 'More…',
  quickEnter: 'Enter saves it',

  edit: 'Edit',
  delete: 'Delete',
  save: 'Save',
  saving: 'Saving…',
  cancel: 'Cancel',
  editTitle: 'Edit event',
  fields: {
    title: 'Title',
    titlePlaceholder: 'What is it?',
    allDay: 'All day',
    startDay: 'First day',
    endDay: 'Last day',
    startsOn: 'Starts on',
    endsOn: 'Ends on',
    startTime: 'Start time',
    endTime: 'End time',
    zone: 'Time zone',
    changeZone: 'Change the time zone',
    repeats: 'Repeats',
    never: 'Does not repeat',
    ends: 'Ends',
    endNever: 'Never',
    endDayChoice: 'On a day',
    endCount: 'After some times',
    lastDay: 'Last day of the series',
    count: 'How many times',
    calendar: 'Calendar',
    place: 'Place',
    notes: 'Notes',
    reminders: 'Reminders',
    addReminder: 'Add a reminder',
    dropReminder: (text: string) => `Remove the reminder ${text}`,
    shownAs: 'Shown as',
    busy: 'Busy',
    free: 'Free, it takes no time',
  },
  problems: {
    end: 'The end is before the beginning.',
    day: 'That day does not exist.',
  },
  repeats: (rule: string) => `${rule.charAt(0).toLowerCase()}${rule.slice(1)}`,
  isException: 'This time differs from the others',
  pending: 'Not yet on its server. It is sent as soon as that can be reached.',
  tentative: 'Tentative',
  cancelled: 'Cancelled',
  isFree: 'Takes no time',
  ofTask: 'Planned for a task',
  openTask: 'Open the task',
  reminder: (minutes: number): string => {
    if (minutes === 0) return 'when it begins';
    const [count, unit] =
      minutes % 10_080 === 0
        ? [minutes / 10_080, 'week']
        : minutes % 1440 === 0
          ? [minutes / 1440, 'day']
          : minutes % 60 === 0
            ? [minutes / 60, 'hour']
            : [minutes, 'minute'];
    return `${count} ${unit}${count === 1 ? '' : 's'} before`;
  },

  created: (when: string) => `Saved: ${when}`,
  moved: (when: string) => `Now ${when}`,
  saved: 'Saved.',
  deleted: 'The event was deleted.',
  undo: 'Undo',
  restored: 'It is there again.',
  undone: 'Back where it was.',
  lostRace:
    'This event was changed elsewhere in the meantime. You see it as it is now; nothing was overwritten.',
  lostRaceInForm:
    'This event was changed elsewhere in the meantime. Yours is not saved: close this to see what is there now, or save again to have yours take its place.',
  moveHint: 'Shift and arrow keys move it, Ctrl, Shift and arrow keys stretch it.',

  scope: {
    change: 'Change a recurring event',
    delete: 'Delete a recurring event',
    this: 'This time only',
    following: 'This and all later times',
    all: 'All times',
    cancel: 'Cancel',
  },

  shortcuts: {
    today: 'Calendar: go to today',
    day: 'Calendar: day',
    week: 'Calendar: week',
    month: 'Calendar: month',
    agenda: 'Calendar: agenda',
    create: 'Calendar: new event',
    quick: 'Calendar: quick entry',
    earlier: 'Calendar: earlier',
    later: 'Calendar: later',
  },
});
