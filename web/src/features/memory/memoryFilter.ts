/** Which memories are listed, as the address of the page says it. */
import type { Schemas } from '$api/client';

export type MemoryType = Schemas['MemoryType'];
type MemoryStatus = Schemas['MemoryStatus'];

export const MEMORY_TYPES: readonly MemoryType[] = ['fact', 'preference', 'entity', 'project', 'decision'];
/** Those that are remembered and ask for a second look are a list of their own. */
export const SHOWN_STATUSES = ['active', 'review', 'archived', 'superseded', 'rejected'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];

export interface MemoryFilter {
  readonly type: '' | MemoryType;
  readonly status: ShownStatus;
  readonly pinned: boolean;
  readonly category: string;
  /** The id of a project; empty for one's own and those of all projects. */
  readonly project: string;
  readonly text: string;
  /** One memory alone; empty for all. */
  readonly id: string;
}

/** What the server is asked for. */
export interface MemoryQuery {
  readonly id?: string;
  readonly type?: MemoryType[];
  readonly status?: MemoryStatus[];
  readonly pinned?: boolean;
  readonly category?: string;
  readonly project_id?: string;
  readonly text?: string;
  readonly needs_review?: boolean;
  readonly conversation_id?: string;
}

export const EMPTY_FILTER: MemoryFilter = {
  type: '',
  status: 'active',
  pinned: false,
  category: '',
  project: '',
  text: '',
  id: '',
};
const FILTER_TEXT_MAX_CHARS = 200;

/** Read an address; what cannot be meant is left out. */
export function parseMemoryFilter(query: URLSearchParams): MemoryFilter {
  return {
    type: MEMORY_TYPES.find((type) => type === query.get('type')) ?? '',
    status: SHOWN_STATUSES.find((status) => status === query.get('status')) ?? 'active',
    pinned: query.get('pinned') === 'true',
    category: query.get('category') ?? '',
    project: query.get('project') ?? '',
    text: query.get('text') ?? '',
    id: query.get('id') ?? '',
  };
}

/** Write the address of a list. */
export function memoryFilterHref(filter: MemoryFilter): string {
  const given = Object.entries(filter)
    .filter(([name, value]) => value !== EMPTY_FILTER[name as keyof MemoryFilter])
    .map(([name, value]) => [name, String(value)]);
  return given.length ? `/memory?${new URLSearchParams(given)}` : '/memory';
}

/** The address of all that is remembered of a category. */
export const memoryCategoryHref = (category: string): string =>
  memoryFilterHref({ ...EMPTY_FILTER, category });

export const isFiltered = (filter: MemoryFilter): boolean => memoryFilterHref(filter) !== '/memory';

/** Say it as the server wants to hear it. */
export function memoryQuery(filter: MemoryFilter): MemoryQuery {
  const { type, status, pinned, category, project, text, id } = filter;
  if (id) return { id };
  const wanted = text.trim().slice(0, FILTER_TEXT_MAX_CHARS);
  return {
    status: [status === 'review' ? 'active' : status],
    ...(status === 'review' ? { needs_review: true } : {}),
    ...(type ? { type: [type] } : {}),
    ...(pinned ? { pinned } : {}),
    ...(category ? { category: category.slice(0, FILTER_TEXT_MAX_CHARS) } : {}),
    ...(project ? { project_id: project.slice(0, FILTER_TEXT_MAX_CHARS) } : {}),
    ...(wanted ? { text: wanted } : {}),
  };
}
