import { describe, expect, it } from 'vitest';
import type { Reply, Round } from '$api/client';
import {
  answerLanes,
  canMergeOrJudge,
  canContinue,
  hasParallelAnswers,
  laneTitle,
  reviewLanes,
  shownAttempt,
  type Lane,
} from './lanes';

const reply = (id: string, more: Partial<Reply> = {}): Reply =>
  ({ id, lane: 'm', model: 'm', kind: 'answer', attempt: 1, status: 'done', content: 'x', ...more }) as Reply;
const round = (...replies: Reply[]): Round => ({ replies }) as Round;
const lane = (...attempts: Reply[]): Lane => ({ name: 'm', attempts });

describe('lanes', () => {
  it('keep the order of the table and hold their attempts, oldest first', () => {
    const lanes = answerLanes(
      round(reply('b2', { lane: 'b', attempt: 2 }), reply('a', { lane: 'a' }), reply('b1', { lane: 'b' })),
    );
    expect(lanes.map(({ name, attempts }) => [name, attempts.map(({ id }) => id)])).toEqual([
      ['b', ['b1', 'b2']],
      ['a', ['a']],
    ]);
  });

  it('leave those who read them all for below', () => {
    const all = round(reply('a'), reply('j', { kind: 'judge', lane: 'judge:m' }));
    expect(answerLanes(all)).toHaveLength(1);
    expect(reviewLanes(all).map(({ name }) => name)).toEqual(['judge:m']);
  });

  it('are read from their beginning while they stand beside each other, and nothing below them', () => {
    const [first, other] = [reply('a', { lane: 'a' }), reply('b', { lane: 'b' })];
    expect(hasParallelAnswers(round(first, other))).toBe(true);
    expect(hasParallelAnswers(round(first))).toBe(false);
    expect(hasParallelAnswers(round(first, other, reply('j', { kind: 'merge', lane: 'merge:m' })))).toBe(
      false,
    );
  });

  it('show the newest attempt unless another is picked', () => {
    const two = lane(reply('1'), reply('2', { attempt: 2 }));
    expect(shownAttempt(two, undefined).id).toBe('2');
    expect(shownAttempt(two, '1').id).toBe('1');
  });

  it('go on only from the newest attempt that was cut short', () => {
    const cut = reply('2', { status: 'stopped' });
    expect(canContinue(lane(reply('1'), cut), cut)).toBe(true);
    expect(canContinue(lane(cut, reply('3')), cut)).toBe(false);
    expect(canContinue(lane(reply('1')), reply('1'))).toBe(false);
  });

  it('can be merged once several are final and one has words', () => {
    expect(canMergeOrJudge([lane(reply('1')), lane(reply('2'))])).toBe(true);
    expect(canMergeOrJudge([lane(reply('1'))])).toBe(false);
    expect(canMergeOrJudge([lane(reply('1')), lane(reply('2', { status: 'running' }))])).toBe(false);
  });

  it('have names that people read', () => {
    expect(laneTitle(reply('1', { lane: 'p/m#2', model: 'p/m' }), undefined)).toBe('m #2');
    expect(laneTitle(reply('1', { lane: 'p/m' }), 'Model M')).toBe('Model M');
  });
});
