import { describe, expect, it } from 'vitest';
import { replyParts, formatDuration, type ToolCall } from './replyParts';

const call = (id: string, at: number, step: number): ToolCall => ({
  id,
  name: 'look',
  arguments: '{}',
  step,
  at,
  effect: 'read',
  status: 'done',
  result: '',
  length: 0,
  output: '',
  changed: false,
  asked_by: '',
  summary: '',
});

describe('the parts of a reply', () => {
  it('are one where no tool was used', () => {
    expect(replyParts({ content: 'Hello', tool_calls: [] })).toEqual([{ text: 'Hello', steps: [] }]);
  });

  it('are the words between the steps, counted in characters', () => {
    const parts = replyParts({
      content: 'Hm 👋. Found. Done',
      tool_calls: [call('a', 5, 0), call('b', 5, 0), call('c', 12, 1)],
    });
    expect(parts.map(({ text }) => text)).toEqual(['Hm 👋.', ' Found.', ' Done']);
    expect(parts.map(({ steps }) => steps.map(({ calls }) => calls.map(({ id }) => id)))).toEqual([
      [['a', 'b']],
      [['c']],
      [],
    ]);
  });

  it('join to the whole reply wherever tools were called', () => {
    const content = 'a👋b𝄞c';
    for (let at = 0; at <= 7; at++) {
      const parts = replyParts({ content, tool_calls: [call('x', 2, 0), call('y', at, 1)] });
      expect(parts.map(({ text }) => text).join('')).toBe(content);
    }
  });

  it('keep steps apart that had no words between them', () => {
    const [first] = replyParts({ content: '', tool_calls: [call('a', 0, 0), call('b', 0, 1)] });
    expect(first?.steps.map(({ number }) => number)).toEqual([0, 1]);
  });
});

it('says how long something took', () => {
  expect([3.4, 1234, 61_000].map(formatDuration)).toEqual(['3 ms', '1.2 s', '1 min 1 s']);
});
