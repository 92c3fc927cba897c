/** What the server is asked about reminders. */
import { api, unwrap } from '$api/client';

export const CHANNELS = ['app', 'email', 'push'] as const;
export type ReminderChannel = (typeof CHANNELS)[number];
export interface ReminderDelivery {
  channel: ReminderChannel;
  status: 'waiting' | 'sending' | 'sent' | 'failed' | 'dropped' | 'unknown';
  problem: string;
}
export interface Reminder {
  id: string;
  kind: 'event' | 'task';
  subject_id: string;
  recurrence_id: string | null;
  title: string;
  location: string;
  project_id: string | null;
  starts_at: string | null;
  day: string;
  minutes: number;
  due_at: string;
  is_late: boolean;
  snoozed_until: string | null;
  dismissed_at: string | null;
  deliveries: ReminderDelivery[];
}
export interface ReminderList {
  waiting: Reminder[];
  recent: Reminder[];
}
export interface ReminderSettings {
  channels: ReminderChannel[];
  reminds_of_tasks: boolean;
  task_time: string;
  time_zone: string;
  email: string;
  available: ReminderChannel[];
  browsers: number;
}
export type ReminderSettingsChange = Partial<
  Pick<ReminderSettings, 'channels' | 'reminds_of_tasks' | 'task_time'>
>;
export interface PushSubscriptionBody {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

type Request = (
  path: string,
  init?: object,
) => Promise<{ data?: never; error?: unknown; response: Response }>;
/** These routes by their paths alone. */
const loose = api as unknown as Record<'GET' | 'POST' | 'PUT' | 'DELETE', Request>;
const of = (reminder_id: string) => ({ params: { path: { reminder_id } } });

export const listReminders = (): Promise<ReminderList> => unwrap(loose.GET('/api/reminders'));

export const dismissReminder = (id: string): Promise<void> =>
  unwrap(loose.POST('/api/reminders/{reminder_id}/dismiss', of(id)));

export const dismissAllReminders = (): Promise<void> => unwrap(loose.POST('/api/reminders/dismiss'));

export const snoozeReminder = (id: string, minutes: number): Promise<void> =>
  unwrap(loose.POST('/api/reminders/{reminder_id}/snooze', { ...of(id), body: { minutes } }));

export const getReminderSettings = (): Promise<ReminderSettings> =>
  unwrap(loose.GET('/api/reminders/settings'));

export const setReminderSettings = (body: ReminderSettingsChange): Promise<ReminderSettings> =>
  unwrap(loose.PUT('/api/reminders/settings', { body }));

export const sendTestReminder = (channel: ReminderChannel): Promise<void> =>
  unwrap(loose.POST('/api/reminders/test', { body: { channel } }));

export const getPushKey = async (): Promise<string> =>
  (await unwrap<{ key: string }>(loose.GET('/api/reminders/push/key'))).key;

export const addPushSubscription = (body: PushSubscriptionBody): Promise<void> =>
  unwrap(loose.POST('/api/reminders/push', { body }));

export const removePushSubscription = (endpoint: string): Promise<void> =>
  unwrap(loose.DELETE('/api/reminders/push', { body: { endpoint } }));
