import { expect, it } from 'vitest';
import { factsOf, KINDS, slugOf } from './kinds';

it('knows every kind', () => {
  for (const { kind } of KINDS) expect(factsOf(kind).label).toBeTruthy();
});

it('makes a short name that the server takes', () => {
  expect(slugOf('My Workshop GPU')).toBe('my-workshop-gpu');
  expect(slugOf('Büro')).toBe('buro');
  expect(slugOf('  vLLM 0.9! ')).toBe('vllm-0.9');
  expect(slugOf('../etc')).toBe('etc');
  expect(slugOf('日本')).toBe('');
  expect(slugOf('x'.repeat(60))).toHaveLength(40);
});
