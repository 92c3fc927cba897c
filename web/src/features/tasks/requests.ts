/** What the server is asked about tasks, phases and free times. */
import { api, ApiError, unwrap, type Schemas } from '$api/client';
import type { TaskQuery } from './taskFilter';

export type Task = Schemas['TaskView'];
export type TaskStatus = Schemas['TaskStatus'];
export type TaskPriority = Schemas['TaskPriority'];
export type TaskChange = Partial<Schemas['TaskChange']>;
export type NewTask = Pick<Schemas['NewTaskBody'], 'title'> & Partial<Schemas['NewTaskBody']>;
export type TaskHistoryEntry = Schemas['TaskHistoryView'];
export type Phase = Schemas['PhaseView'];
export type PhaseChange = Partial<Schemas['PhaseChange']>;
export type Member = Schemas['MemberView'];

/** What was read out of words about a day or a time. */
export type DateReading = Schemas['DateReadingView'];
export type PreferredTime = Schemas['PartOfDay'];
export type Slot = Schemas['SlotView'];
export type SlotQuestion = Pick<
  Schemas['SlotQuestionBody'],
  'duration_minutes' | 'start_date' | 'end_date' | 'preferred_time'
>;
export type ScheduleRequest = Partial<Schemas['ScheduleBody']>;

const at = (task_id: string) => ({ params: { path: { task_id } } });
const inProject = (project_id: string) => ({ params: { path: { project_id } } });
const atPhase = ({ project_id, id }: Phase) => ({ params: { path: { project_id, phase_id: id } } });
const until = (signal?: AbortSignal) => (signal ? { signal } : {});

export const listTasks = (query: TaskQuery & { after?: string; limit?: number }, signal?: AbortSignal) =>
  unwrap(api.GET('/api/tasks', { params: { query }, ...until(signal) }));

export const getTask = (id: string, signal?: AbortSignal) =>
  unwrap(api.GET('/api/tasks/{task_id}', { ...at(id), ...until(signal) }));

/** What is left out has a default that the generated type does not know to be optional. */
export const createTask = (body: NewTask) =>
  unwrap(api.POST('/api/tasks', { body: body as Schemas['NewTaskBody'] }));

export const changeTask = (id: string, change: TaskChange) =>
  unwrap(api.PUT('/api/tasks/{task_id}', { ...at(id), body: change as Schemas['TaskChange'] }));

export const changeTasks = (ids: readonly string[], change: TaskChange) =>
  unwrap(api.POST('/api/tasks/bulk', { body: { ids: [...ids], change: change as Schemas['TaskChange'] } }));

export const deleteTasks = (ids: readonly string[]) =>
  unwrap(api.POST('/api/tasks/bulk-delete', { body: { ids: [...ids] } }));

/** Put a task right after another, or before all, into a column. */
export const moveTask = (id: string, after: string | null, status: TaskStatus) =>
  unwrap(
    api.POST('/api/tasks/{task_id}/move', { ...at(id), body: { after, status } as Schemas['TaskMove'] }),
  );

export const listHistory = (id: string, after = '') =>
  unwrap(
    api.GET('/api/tasks/{task_id}/history', {
      params: { path: { task_id: id }, query: { after, limit: 20 } },
    }),
  );

export const listPhases = async (projectId: string): Promise<Phase[]> => {
  const query = { limit: 200 };
  const path = { project_id: projectId };
  const page = await unwrap(api.GET('/api/projects/{project_id}/phases', { params: { path, query } }));
  return page.phases;
};

export const createPhase = (projectId: string, body: PhaseChange & { name: string }) =>
  unwrap(
    api.POST('/api/projects/{project_id}/phases', {
      ...inProject(projectId),
      body: body as Schemas['NewPhaseBody'],
    }),
  );

export const changePhase = (phase: Phase, body: PhaseChange) =>
  unwrap(
    api.PUT('/api/projects/{project_id}/phases/{phase_id}', {
      ...atPhase(phase),
      body: body as Schemas['PhaseChange'],
    }),
  );

export const deletePhase = (phase: Phase) =>
  unwrap(api.DELETE('/api/projects/{project_id}/phases/{phase_id}', atPhase(phase)));

export const movePhase = (phase: Phase, after: string | null) =>
  unwrap(
    api.POST('/api/projects/{project_id}/phases/{phase_id}/move', { ...atPhase(phase), body: { after } }),
  );

export const listMembers = async (): Promise<Member[]> => (await unwrap(api.GET('/api/members'))).items;

/** Begin a conversation that is about a task. */
export const createConversationAbout = (taskId: string) => {
  const body = { anchor: { kind: 'task', id: taskId } } as Schemas['NewConversation'];
  return unwrap(api.POST('/api/conversations', { body }));
};

/** What a conversation is called; null where it has no title or may not be seen. */
export async function fetchConversationTitle(conversation_id: string): Promise<string | null> {
  const path = { conversation_id };
  const found = await unwrap(api.GET('/api/conversations/{conversation_id}', { params: { path } }));
  return found.conversation.title ?? null;
}

/** Read a day or a time out of words; null where there is none. */
export async function readDate(text: string, zone: string, signal: AbortSignal): Promise<DateReading | null> {
  try {
    return await unwrap(api.POST('/api/dates/read', { body: { text, zone }, signal }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return null;
    throw error;
  }
}

export const findSlots = async (question: SlotQuestion): Promise<Slot[]> => {
  const body = question as Schemas['SlotQuestionBody'];
  return (await unwrap(api.POST('/api/calendar/slots', { body }))).slots;
};

/** Put a task on the calendar. */
export const scheduleTask = async (id: string, schedule: ScheduleRequest): Promise<Task> => {
  const body = schedule as Schemas['ScheduleBody'];
  return (await unwrap(api.POST('/api/tasks/{task_id}/schedule', { ...at(id), body }))).task;
};

/** Whether something else lies at the time at which a task was to be put on the calendar. */
export const isTimeTaken = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'time_taken';

/** Take a task off the calendar; it can be brought back for a short time. */
export const unscheduleTask = (id: string) => unwrap(api.DELETE('/api/tasks/{task_id}/schedule', at(id)));
