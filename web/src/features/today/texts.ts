/** The words of Today. */
import { translate } from '$lib/texts';

export const words = translate({
  title: 'Today',
  greeting: { Morning: 'This morning', Afternoon: 'This afternoon', Evening: 'This evening' },
  lead: (events: number, tasks: number): string => {
    const parts = [
      events ? (events === 1 ? '1 event' : `${events} events`) : '',
      tasks ? (tasks === 1 ? '1 task' : `${tasks} tasks`) : '',
    ].filter(Boolean);
    return parts.length ? `${parts.join(' and ')} today.` : 'Nothing is planned, and nothing is due.';
  },
  earlier: 'The day before',
  later: 'The day after',
  backToToday: 'Back to today',
  talk: 'Talk about this day',
  calendar: 'Open in the calendar',
  events: 'Events',
  noEvents: 'No event on this day.',
  allDay: 'All day',
  now: 'Now',
  past: 'Over',
  due: 'Due',
  overdue: 'Overdue',
  noTasks: 'No task is due on this day.',
  noTasksHint: 'Tasks with a due date appear here on their day, and stay until they are done.',
  allTasks: 'All tasks',
  schedule: (time: string) => `Schedule ${time}`,
  scheduleOf: (title: string, time: string) => `Schedule ${time}: ${title}`,
  find: 'Find a time',
  findOf: (title: string) => `Find a time for “${title}”`,
  scheduled: (title: string, when: string) => `“${title}” is on the calendar: ${when}`,
  done: 'Done.',
  undo: 'Undo',
  unscheduled: 'Taken off the calendar.',
  again: 'Try again',

  replan: {
    title: 'Plan again',
    lead: 'Tasks on the calendar whose time is taken or over are moved to free times. What you pinned stays.',
    ask: 'See what would move',
    asking: 'Looking…',
    nothing: 'Everything can stay where it is.',
    moves: 'What would move',
    from: 'from',
    to: 'to',
    unplaced: 'No time was found for these',
    apply: (count: number) => (count === 1 ? 'Move it' : `Move all ${count}`),
    applying: 'Moving…',
    cancel: 'Leave all as it is',
    done: (count: number) => (count === 1 ? '1 task was moved.' : `${count} tasks were moved.`),
    undo: 'Undo all',
    undone: 'All are back where they were.',
  },
});
