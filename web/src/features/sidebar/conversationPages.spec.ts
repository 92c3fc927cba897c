import { describe, expect, it } from 'vitest';
import type { Conversation } from '$api/client';
import {
  putConversation,
  appendPage,
  groupByDay,
  applyEventToList,
  type ConversationPages,
  type ListFilter,
} from './conversationPages';

const ALL: ListFilter = { archived: false, search: '' };
const LONG_AGO = '2001-01-01T10:00:00.000Z';

const key = (day: number): string => String(day).padStart(26, '0');

function conversation(id: string, day: number, more: Partial<Conversation> = {}): Conversation {
  const moment = `2026-03-${String(day).padStart(2, '0')}T10:00:00.000Z`;
  return {
    id,
    owner_id: 'usr_1',
    project_id: null,
    anchor: { kind: 'workspace', id: null },
    origin: 'app',
    title: id,
    title_by: 'model',
    visibility: 'private',
    instructions: '',
    head_id: null,
    round_count: 1,
    archived: false,
    context: {},
    pinned: false,
    created_at: moment,
    updated_at: moment,
    sort_key: key(day),
    waiting: 0,
    temporary: false,
    ...more,
  };
}

const list = (next: string | null, ...items: Conversation[]): ConversationPages => ({ items, next });
const ids = (of: ConversationPages): string[] => of.items.map((item) => item.id);
const news = (changed: Conversation) => ({ type: 'conversation.changed', conversation: changed }) as const;

describe('what news do to the list', () => {
  const here = list(null, conversation('b', 9), conversation('a', 5));

  it('a new conversation comes first', () => {
    expect(ids(applyEventToList(here, news(conversation('c', 10)), ALL))).toEqual(['c', 'b', 'a']);
  });

  it('a renamed one keeps its place', () => {
    const after = applyEventToList(here, news(conversation('a', 5, { title: 'Trip' })), ALL);
    expect(after.items[1]?.title).toBe('Trip');
    expect(after.items[0]).toBe(here.items[0]);
  });

  it('an archived one leaves, and enters the archive', () => {
    const gone = news(conversation('a', 5, { archived: true }));
    expect(ids(applyEventToList(here, gone, ALL))).toEqual(['b']);
    expect(ids(applyEventToList(list(null), gone, { archived: true, search: '' }))).toEqual(['a']);
  });

  it('a deleted one leaves, twice as well as once', () => {
    const event = { type: 'conversation.deleted', conversation_id: 'a' } as const;
    const once = applyEventToList(here, event, ALL);
    expect(ids(once)).toEqual(['b']);
    expect(applyEventToList(once, event, ALL)).toBe(once);
  });

  it('old news change nothing', () => {
    expect(applyEventToList(here, news(conversation('b', 2, { title: 'Old' })), ALL)).toBe(here);
  });

  it('what belongs to a later page waits for it', () => {
    const part = list('cursor', conversation('b', 9));
    expect(applyEventToList(part, news(conversation('a', 5)), ALL)).toBe(part);
    expect(ids(applyEventToList(part, news(conversation('c', 10)), ALL))).toEqual(['c', 'b']);
  });

  it('what is pinned is here however old it is, and hides nothing of the page', () => {
    const part = list('cursor', conversation('b', 9), conversation('p', 1, { pinned: true }));
    expect(ids(applyEventToList(part, news(conversation('a', 5, { pinned: true })), ALL))).toEqual([
      'b',
      'a',
      'p',
    ]);
    expect(applyEventToList(part, news(conversation('a', 5)), ALL)).toBe(part);
  });

  it('a search takes in nothing temporary', () => {
    const trip = conversation('c', 10, { title: 'Trip', temporary: true });
    expect(ids(applyEventToList(here, news(trip), ALL))).toContain('c');
    expect(ids(applyEventToList(list(null), news(trip), { archived: false, search: 'trip' }))).toEqual([]);
  });

  it('a search takes in only what it looks for', () => {
    const view = { archived: false, search: ' TRIP ' };
    expect(ids(putConversation(list(null), conversation('a', 1, { title: 'My trip' }), view))).toEqual(['a']);
    expect(ids(putConversation(list(null), conversation('b', 1), view))).toEqual([]);
  });

  it('conversations of the API are not listed', () => {
    expect(applyEventToList(here, news(conversation('x', 20, { origin: 'api' })), ALL)).toBe(here);
  });

  it('a question brings its conversation to the top', () => {
    const round = { conversation_id: 'a', created_at: '2026-03-11T10:00:00.000Z' };
    const after = applyEventToList(here, { type: 'round.opened', round, sort_key: key(11) } as never, ALL);
    expect(ids(after)).toEqual(['a', 'b']);
    expect(after.items[0]).toMatchObject({ sort_key: key(11), updated_at: round.created_at });
  });

  it('a question heard twice changes nothing', () => {
    const round = { conversation_id: 'b', created_at: '2026-03-09T10:00:00.000Z' };
    expect(applyEventToList(here, { type: 'round.opened', round, sort_key: key(9) } as never, ALL)).toBe(
      here,
    );
  });

  it('what was used last comes first, although the clock was set back by years', () => {
    const round = { conversation_id: 'a', created_at: LONG_AGO };
    const asked = applyEventToList(here, { type: 'round.opened', round, sort_key: key(11) } as never, ALL);
    expect(ids(asked)).toEqual(['a', 'b']);
    const told = applyEventToList(asked, news(conversation('b', 12, { updated_at: LONG_AGO })), ALL);
    expect(ids(told)).toEqual(['b', 'a']);
    expect(ids(applyEventToList(told, news(conversation('c', 13, { updated_at: LONG_AGO })), ALL))).toEqual([
      'c',
      'b',
      'a',
    ]);
  });
});

describe('pages and groups', () => {
  it('a page never lists anything twice', () => {
    const first = list('x', conversation('c', 9), conversation('b', 8));
    const after = appendPage(first, list(null, conversation('b', 8), conversation('a', 7)));
    expect(ids(after)).toEqual(['c', 'b', 'a']);
    expect(after.next).toBeNull();
  });

  it('the pinned come first, the rest by day', () => {
    const items = [conversation('c', 10), conversation('b', 9), conversation('a', 1, { pinned: true })];
    const groups = groupByDay(items, 'Pinned', new Date('2026-03-10T12:00:00Z'));
    expect(groups.map((group) => [group.name, group.items.map((item) => item.id)])).toEqual([
      ['Pinned', ['a']],
      ['Today', ['c']],
      ['Yesterday', ['b']],
    ]);
  });

  it('nothing pinned, no heading for it', () => {
    expect(groupByDay([conversation('a', 1)], 'Pinned')).toHaveLength(1);
  });
});
