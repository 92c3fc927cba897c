import { expect, it } from 'vitest';
import { hitBreadcrumb, hitHref, type SearchHit } from './sourceLocation';

const summary = {
  kind: 'summary',
  source_id: 'sum_1',
  project_id: 'prj_1',
  location: {
    conversation_id: 'cnv_1',
    title: 'Sensors',
    summary_id: 'sum_1',
    message_ids: ['msg_1'],
    round_id: 'rnd_3',
    round_number: 3,
    speaker: 'summary',
    said_at: '2026-05-03T10:00:00Z',
  },
} as unknown as SearchHit;

it('leads from a point of a summary to the round that it was said in', () => {
  expect(hitHref(summary)).toContain('cnv_1');
  expect(hitHref(summary)).toContain('rnd_3');
  expect(hitBreadcrumb(summary).slice(0, 3)).toEqual(['Sensors', 'round 3', 'its summary']);
});

it('leads from a memory to the page of memories', () => {
  const location = { memory_id: 'mem_1', said_at: '2026-05-03T10:00:00Z' };
  const memory = { kind: 'memory', source_id: 'mem_1', project_id: null, location } as unknown as SearchHit;
  expect(hitHref(memory)).toBe('/memory?id=mem_1');
  expect(hitBreadcrumb(memory)[0]).toBe('Memory');
});

it('leads from a task to its page', () => {
  const location = { task_id: 'tsk_1', said_at: '2026-05-03T10:00:00Z' };
  const task = { kind: 'task', source_id: 'tsk_1', project_id: null, location } as unknown as SearchHit;
  expect([hitHref(task), hitBreadcrumb(task)[0]]).toEqual(['/tasks/tsk_1', 'Task']);
});
