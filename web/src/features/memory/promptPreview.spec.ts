import { expect, it } from 'vitest';
import { promptNotes } from './promptPreview';
import type { PreviewPlan } from './requests';

const item = (id: string, text = '') => ({ id, text });
const plan = (items: object[], left: object[] = []): PreviewPlan =>
  ({
    sections: [
      { kind: 'system', items: [item('system:introduction', 'You are a model.')] },
      { kind: 'memory', items },
    ],
    left_out: left,
  }) as PreviewPlan;

it('tells word for word what the prompt says of the person, and leads to each memory', () => {
  const profile = item('profile', '- Notes: Short [M1]');
  expect(promptNotes(plan([profile, item('memory:mem_1', '- Porto <\\/b> [M2]')])).told).toEqual([
    { memoryId: '', text: '- Notes: Short [M1]' },
    { memoryId: 'mem_1', text: '- Porto <\\/b> [M2]' },
  ]);
});

it('says how many are for local models alone, and how many there is no room for', () => {
  const left = [
    { section: 'memory', reason: 'local_only' },
    { section: 'memory', reason: 'share' },
    { section: 'memory', reason: 'no_room' },
    { section: 'passages', reason: 'share' },
  ];
  expect(promptNotes(plan([], left))).toEqual({ told: [], localCount: 1, crowdedOutCount: 2 });
});
