import { describe, expect, it } from 'vitest';
import {
  idsLeftOutByPerson,
  groupByReason,
  canLeaveOut,
  compareTokenCounts,
  hasSameIds,
  formatPercent,
  textsById,
  itemLink,
  type ReceiptItem,
  type LeftOut,
  type Receipt,
} from './receipt';

const nowhere: ReceiptItem['pointer'] = {
  message_ids: [],
  file_id: '',
  project_id: '',
  conversation_id: '',
  round_id: '',
  round_number: 0,
  path: '',
  start_line: 0,
  end_line: 0,
  start_char: 0,
  end_char: 0,
  summary_id: '',
  number: 0,
  call_id: '',
  step: 0,
};
const item = (id: string, pointer: Partial<ReceiptItem['pointer']> = {}, text = ''): ReceiptItem => ({
  id,
  title: id,
  tokens: 1,
  pointer: { ...nowhere, ...pointer },
  local_only: false,
  is_hidden: false,
  text,
});
const left = (id: string, reason: LeftOut['reason'], section: LeftOut['section'] = 'rounds'): LeftOut => ({
  section,
  item: item(id),
  reason,
  why: `Because ${reason}.`,
});
const receipt = (more: Partial<Receipt> = {}, tokens = 1543): Receipt =>
  ({
    plan: { tokens, sent: tokens, sections: [], steps: [], left_out: [] },
    status: 'done',
    usage: null,
    ...more,
  }) as unknown as Receipt;

describe('an item leads', () => {
  it('to its round, here or in another conversation', () => {
    expect(itemLink(item('round:r', { round_id: 'r' }), 'c')).toEqual({
      to: 'round',
      href: '/c/c#r',
      round: 'r',
      here: true,
    });
    const earlier = item('passage:m', { round_id: 'r', conversation_id: 'other' });
    expect(itemLink(earlier, 'c')).toMatchObject({ href: '/c/other#r', here: false });
  });

  it('to its memory, where it can be corrected and its evidence found, or to the profile', () => {
    const evidence = { conversation_id: 'other', round_id: 'r' };
    expect(itemLink(item('memory:mem_1', evidence), 'c')).toEqual({ to: 'memory', href: '/memory?id=mem_1' });
    expect(itemLink(item('profile'), 'c')).toEqual({ to: 'memory', href: '/memory/profile' });
  });

  it('to its file at its lines, to the summary, or nowhere', () => {
    const file = { file_id: 'f', project_id: 'p', start_line: 3, end_line: 9 };
    expect(itemLink(item('passage:f', file), 'c')).toEqual({
      to: 'file',
      href: '/projects/p/files/f?lines=3-9',
    });
    expect(itemLink(item('summary', { summary_id: 's' }), 'c')).toEqual({ to: 'summary' });
    expect(itemLink(item('system:introduction'), 'c')).toBeNull();
  });
});

it('lets go of anything but what every prompt must have', () => {
  expect((['files', 'pinned', 'summary', 'rounds', 'passages'] as const).every(canLeaveOut)).toBe(true);
  expect((['system', 'tools', 'question', 'steps'] as const).some(canLeaveOut)).toBe(false);
});

it('remembers what the person left out, the summary by its own name', () => {
  const leftOut = [
    left('round:1', 'asked'),
    left('round:2', 'no_room'),
    left('summary:asked', 'asked', 'summary'),
  ];
  expect(idsLeftOutByPerson(leftOut)).toEqual(['round:1', 'summary']);
  const hidden = { ...item('hidden:1'), is_hidden: true };
  expect(idsLeftOutByPerson([...leftOut, { ...left('a', 'asked'), item: hidden }])).toEqual([
    'round:1',
    'summary',
  ]);
});

it('says each reason once', () => {
  const groups = groupByReason([left('a', 'no_room'), left('b', 'older'), left('c', 'no_room')]);
  expect(groups.map(({ why, left: all }) => [why, all.length])).toEqual([
    ['Because no_room.', 2],
    ['Because older.', 1],
  ]);
});

describe('what was counted', () => {
  const usage = { input: 1540, output: 3, cached: 0, cache_write: 0, thinking: 0, estimated: false };

  it('stands beside what was reported', () => {
    expect(compareTokenCounts(receipt({ usage }))).toBe('counted 1,543, reported 1,540');
  });

  it('is that of all steps, as the report is', () => {
    const step = { number: 2, tokens: 2000, items: [] };
    const plan = { ...receipt().plan, sent: 3543, steps: [step] };
    expect(compareTokenCounts(receipt({ plan, usage }))).toBe('counted 3,543 in 2 steps, reported 1,540');
  });

  it('stands alone when nothing was, or not yet', () => {
    expect(compareTokenCounts(receipt())).toContain('did not say');
    expect(compareTokenCounts(receipt({ usage: { ...usage, estimated: true } }))).toContain('did not say');
    expect(compareTokenCounts(receipt({ status: 'running' }))).toContain('the end of the answer');
  });
});

it('calls nothing nothing, and only all of it all', () => {
  expect([0, 0.001, 0.5, 0.999, 1].map(formatPercent)).toEqual(['0 %', '< 1 %', '50 %', '99 %', '100 %']);
});

it('finds the words of an item by its name', () => {
  const sections = [{ kind: 'rounds', tokens: 1, items: [item('round:1', {}, 'user: hello')] }];
  const steps = [{ number: 2, tokens: 9, items: [item('call:1', { call_id: '1' }, 'It gave this.')] }];
  const plan = { ...receipt().plan, sections, steps } as Receipt['plan'];
  expect(textsById(receipt({ plan })).get('round:1')).toBe('user: hello');
  expect(textsById(receipt({ plan })).get('call:1')).toBe('It gave this.');
});

it('tells whether anything would be different', () => {
  expect(hasSameIds(new Set(['a', 'b']), ['b', 'a'])).toBe(true);
  expect(hasSameIds(new Set(['a']), ['a', 'b'])).toBe(false);
  expect(hasSameIds(new Set(['a']), ['b'])).toBe(false);
});
