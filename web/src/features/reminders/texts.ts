/** The words of reminders: the bell, and how they come. */
import { translate } from '$lib/texts';

export const words = translate({
  title: 'Reminders',
  waiting: (count: number) => (count === 1 ? 'One reminder' : `${count} reminders`),
  nothing: 'Nothing to be reminded of',
  nothingHint: 'Events with a reminder and tasks that are due are told here.',
  recent: 'Earlier',
  dismiss: 'Dismiss',
  dismissOf: (title: string) => `Dismiss: ${title}`,
  dismissAll: 'Dismiss all',
  snooze: 'Later',
  snoozeOf: (title: string) => `Remind me later: ${title}`,
  snoozeFor: { 10: 'In 10 minutes', 60: 'In an hour', 1440: 'Tomorrow' } as Record<number, string>,
  open: 'Open',
  late: 'Late',
  lateHint: 'The server was not running when this was due.',
  due: (day: string) => `Due ${day}`,
  startsNow: 'Starts now',
  startsIn: (minutes: number) =>
    minutes < 60
      ? `Starts in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`
      : `Starts in ${Math.round(minutes / 60) === 1 ? 'an hour' : `${Math.round(minutes / 60)} hours`}`,
  startedAgo: (minutes: number) => `Started ${minutes === 1 ? 'a minute' : `${minutes} minutes`} ago`,
  untitled: 'Without a title',
  problem: { failed: 'Not sent', unknown: 'Perhaps not sent' } as Record<string, string>,
  channels: { app: 'In the app', email: 'By e-mail', push: 'As a notification' },

  settingsLead: 'Of events with a reminder, and of tasks on the day they are due.',
  how: 'How you are reminded',
  appHint: 'A bell and a short note while Tertulia is open.',
  emailHint: (address: string) => `To ${address}.`,
  emailOff: 'This server has no mail server. Whoever runs it can set one.',
  pushHint: 'Shown by your browser or phone, also while Tertulia is closed.',
  pushOff: 'This server sends no notifications to browsers.',
  ofTasks: 'Remind me of tasks that are due',
  taskTime: 'At',
  zone: (zone: string) => `In your time zone, ${zone}. You can change that under Profile.`,
  sendTest: 'Send a test',
  testSent: 'The test was sent.',

  here: 'Notifications in this browser',
  hereLead: 'The browser asks once whether it may. What is sent can be read by it alone.',
  turnOn: 'Turn on here',
  turnOff: 'Turn off here',
  isOn: 'This browser shows your reminders.',
  isOff: 'This browser shows none of your reminders.',
  isDenied:
    'This browser forbids notifications of this page. You can allow them in its settings for this page.',
  isUnsupported:
    'This browser cannot show notifications of this page. On an iPhone or iPad, add Tertulia to the home screen first.',
  browsers: (count: number) =>
    count === 1 ? 'One of your browsers shows them.' : `${count} of your browsers show them.`,
  working: 'One moment…',
});
