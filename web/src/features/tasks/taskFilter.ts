/** Which tasks are shown, and how, as the address of the page says it. */
import type { Schemas } from '$api/client';
import { addDays } from '$lib/days';
import type { TaskPriority, TaskStatus } from './requests';

export const TASK_STATUSES: readonly TaskStatus[] = ['backlog', 'in_progress', 'blocked', 'done'];
export const OPEN_STATUSES: readonly TaskStatus[] = ['backlog', 'in_progress', 'blocked'];
export const TASK_PRIORITIES: readonly TaskPriority[] = ['high', 'medium', 'low'];
export const TASK_VIEWS = ['list', 'board'] as const;
export const TASK_SORTS = ['position', 'due', 'newest'] as const;
export const SHOWN_STATUSES = ['open', ...TASK_STATUSES, 'all'] as const;
export const DUE_RANGES = ['overdue', 'today', 'week', 'month'] as const;
export type TaskView = (typeof TASK_VIEWS)[number];
export type TaskSort = (typeof TASK_SORTS)[number];
export type ShownStatus = (typeof SHOWN_STATUSES)[number];
export type DueRange = (typeof DUE_RANGES)[number];

/** In place of a project's id: tasks that belong to none. */
export const NO_PROJECT = 'none';
/** In place of a person's id: whoever looks. */
export const ASSIGNED_TO_ME = 'me';
const FILTER_TEXT_MAX_CHARS = 200;

export interface TaskFilter {
  readonly view: TaskView;
  readonly status: ShownStatus;
  readonly priority: '' | TaskPriority;
  readonly project: string;
  readonly phase: string;
  readonly assignee: string;
  readonly tag: string;
  readonly due: '' | DueRange;
  readonly text: string;
  readonly sort: TaskSort;
}

/** What the server is asked for. */
export interface TaskQuery {
  readonly status?: TaskStatus[];
  readonly priority?: TaskPriority[];
  readonly project_id?: string;
  readonly no_project?: boolean;
  readonly phase_id?: string;
  readonly assignee_id?: string;
  readonly tag?: string;
  readonly text?: string;
  readonly due_after?: string;
  readonly due_before?: string;
  readonly sort?: Schemas['TaskSort'];
}

export const EMPTY_FILTER: TaskFilter = {
  view: 'list',
  status: 'open',
  priority: '',
  project: '',
  phase: '',
  assignee: '',
  tag: '',
  due: '',
  text: '',
  sort: 'position',
};

/** Read an address; what cannot be meant is left out. */
export function parseTaskFilter(query: URLSearchParams): TaskFilter {
  const pick = <T extends string>(name: string, values: readonly T[]): T | undefined =>
    values.find((value) => value === query.get(name));
  const word = (name: string): string => query.get(name)?.slice(0, FILTER_TEXT_MAX_CHARS) ?? '';
  return {
    view: pick('view', TASK_VIEWS) ?? 'list',
    status: pick('status', SHOWN_STATUSES) ?? 'open',
    priority: pick('priority', TASK_PRIORITIES) ?? '',
    project: word('project'),
    phase: word('phase'),
    assignee: word('assignee'),
    tag: word('tag'),
    due: pick('due', DUE_RANGES) ?? '',
    text: word('text'),
    sort: pick('sort', TASK_SORTS) ?? 'position',
  };
}

/** Write the address of a list or a board. */
export function taskFilterHref(filter: TaskFilter): string {
  const given = Object.entries(filter).filter(
    ([name, value]) => value !== EMPTY_FILTER[name as keyof TaskFilter],
  );
  return given.length ? `/tasks?${new URLSearchParams(given as [string, string][])}` : '/tasks';
}

/** Take away what narrows the list down; how it is shown stays. */
export const withoutFilter = ({ view, sort }: TaskFilter): TaskFilter => ({ ...EMPTY_FILTER, view, sort });

/** Tell whether fewer tasks are shown than there are to do. */
export const isFiltered = (filter: TaskFilter): boolean =>
  taskFilterHref({ ...filter, view: 'list', sort: 'position' }) !== '/tasks';

/** Count what narrows the list down, besides the words that are looked for. */
export const countFilters = (filter: TaskFilter): number =>
  (['status', 'priority', 'project', 'phase', 'assignee', 'tag', 'due'] as const).filter(
    (name) => filter[name] !== EMPTY_FILTER[name],
  ).length;

interface Viewer {
  /** The day that it is where they are. */
  readonly today: string;
  readonly userId: string;
}

/** Say it as the server wants to hear it. */
export function taskQuery(filter: TaskFilter, { today, userId }: Viewer): TaskQuery {
  const { priority, project, phase, assignee, tag, due, text, sort } = filter;
  return {
    ...statusQuery(filter.status),
    ...(priority ? { priority: [priority] } : {}),
    ...(project === NO_PROJECT ? { no_project: true } : project ? { project_id: project } : {}),
    ...(phase ? { phase_id: phase } : {}),
    ...(assignee ? { assignee_id: assignee === ASSIGNED_TO_ME ? userId : assignee } : {}),
    ...(tag ? { tag } : {}),
    ...(due ? dueQuery(due, today) : {}),
    ...(text.trim() ? { text: text.trim() } : {}),
    ...(sort === 'position' ? {} : { sort }),
  };
}

/** Say which tasks stand in a column of the board. */
export const columnQuery = (filter: TaskFilter, status: TaskStatus, viewer: Viewer): TaskQuery =>
  taskQuery({ ...filter, status, sort: 'position' }, viewer);

function statusQuery(status: ShownStatus): TaskQuery {
  if (status === 'all') return {};
  return { status: status === 'open' ? [...OPEN_STATUSES] : [status] };
}

function dueQuery(due: DueRange, today: string): TaskQuery {
  if (due === 'overdue') return { due_before: addDays(today, -1) };
  const days = { today: 0, week: 6, month: 29 }[due];
  return { due_after: today, due_before: addDays(today, days) };
}
