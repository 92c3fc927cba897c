/** The words on what a conversation planned: events, tasks and days. */
import { translate } from '$lib/texts';

export const words = translate({
  actions: {
    event: {
      created: 'Event made',
      changed: 'Event changed',
      scheduled: 'Task scheduled',
      deleted: 'Event deleted',
    },
    task: {
      created: 'Task made',
      changed: 'Task changed',
      scheduled: 'Task scheduled',
      deleted: 'Task deleted',
    },
  },
  open: { event: 'Open in the calendar', task: 'Open the task' },
  due: (day: string) => `Due ${day}`,
  from: (day: string) => `From ${day}`,
  fromDue: (start: string, due: string) => `From ${start}, due ${due}`,
  planned: 'What the models planned',
  untitled: '(no title)',
  star: 'The date in this answer is wrong',
  correction: (said: string) => `It says “${said}”. Right is`,
  see: 'See it in the calendar',
  seeTask: 'See the task',
  panel: 'What was planned here',
  panelButton: (count: number) =>
    count === 1 ? '1 thing was planned here' : `${count} things were planned here`,
  panelEmpty: 'Nothing was planned here yet',
  panelEmptyHint:
    'Ask for an event or a task, such as “put lunch with Mara on Friday at 1 pm into my calendar”. What is made is listed here.',
  events: 'Events',
  tasks: 'Tasks',
  aboutDay: (day: string) => `About ${day}`,
  aboutTask: (title: string) => `About the task “${title}”`,
  aboutSomeTask: 'About a task',
});
