/** What is searched for, as the address of the page says it. */
import type { Schemas } from '$api/client';

export interface SearchQuery {
  readonly q: string;
  /** The project to search in; all of them when empty. */
  readonly project: string;
  readonly kind: '' | Schemas['SourceKind'];
  readonly type: string;
  readonly path: string;
  readonly tag: string;
  readonly speaker: string;
  /** Days, as 2026-01-31. */
  readonly from: string;
  readonly to: string;
}

export const EMPTY_QUERY: SearchQuery = {
  q: '',
  project: '',
  kind: '',
  type: '',
  path: '',
  tag: '',
  speaker: '',
  from: '',
  to: '',
};
/** What narrows a search down, apart from where to search. */
export const FILTERS = ['kind', 'type', 'path', 'tag', 'speaker', 'from', 'to'] as const;
export type Filter = (typeof FILTERS)[number];

const KINDS: readonly Schemas['SourceKind'][] = ['file', 'message', 'summary', 'memory', 'task'];
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Read an address; what cannot be meant is left out. */
export function parseSearchQuery(query: URLSearchParams): SearchQuery {
  const given = Object.fromEntries(
    Object.keys(EMPTY_QUERY).map((name) => [name, query.get(name) ?? '']),
  ) as unknown as SearchQuery;
  return {
    ...given,
    kind: KINDS.find((kind) => kind === given.kind) ?? '',
    from: DAY.test(given.from) ? given.from : '',
    to: DAY.test(given.to) ? given.to : '',
  };
}

/** Write the address of a search. */
export function searchHref(wanted: SearchQuery): string {
  const given = Object.entries(wanted).filter(([, value]) => value.trim() !== '');
  return given.length ? `/search?${new URLSearchParams(given)}` : '/search';
}

export const hasFilters = (wanted: SearchQuery): boolean => FILTERS.some((name) => wanted[name] !== '');

/** Say it as the server wants to hear it; what is left out limits nothing. */
export function searchRequest(wanted: SearchQuery, limit: number): Schemas['SearchBody'] {
  const filter = {
    kinds: wanted.kind ? [wanted.kind] : [],
    file_types: listed(wanted.type),
    paths: listed(wanted.path),
    tags: listed(wanted.tag),
    speakers: listed(wanted.speaker),
    since: momentOf(wanted.from, '00:00:00.000'),
    until: momentOf(wanted.to, '23:59:59.999'),
  };
  return { query: wanted.q, limit, filter } as unknown as Schemas['SearchBody'];
}

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

/** A day begins and ends where the person is. */
function momentOf(day: string, time: string): string | null {
  const moment = new Date(`${day}T${time}`);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}
