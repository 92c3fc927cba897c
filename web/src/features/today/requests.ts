/** What Today asks the server for. */
import { api, unwrap, type Schemas } from '$api/client';
import type { Day } from '$lib/zonedTime';

export type DayPlan = Schemas['TodayView'];
/** When a task that is due could be done. */
export type SuggestedSlot = Schemas['SuggestedSlotView'];
export type Replan = Schemas['ReplanView'];

export const getDay = (date: Day, zone: string, signal: AbortSignal): Promise<DayPlan> =>
  unwrap(api.GET('/api/today', { params: { query: { date, zone } }, signal }));

export const scheduleTask = (task_id: string, body: { start?: string; duration_minutes: number }) =>
  unwrap(
    api.POST('/api/tasks/{task_id}/schedule', {
      params: { path: { task_id } },
      body: body as Schemas['ScheduleBody'],
    }),
  );

export const unscheduleTask = (task_id: string) =>
  unwrap(api.DELETE('/api/tasks/{task_id}/schedule', { params: { path: { task_id } } }));

/** Move tasks that cannot be done when they lie; or only say which those are. */
export const replan = (dry_run: boolean): Promise<Replan> =>
  unwrap(api.POST('/api/calendar/replan', { body: { dry_run } }));

export const undoReplan = (replan_id: string): Promise<Replan> =>
  unwrap(api.POST('/api/calendar/replans/{replan_id}/undo', { params: { path: { replan_id } } }));
