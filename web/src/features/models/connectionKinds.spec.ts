import { expect, it } from 'vitest';
import { connectionKindInfo, CONNECTION_KINDS, slugOf } from './connectionKinds';

it('knows every kind', () => {
  for (const { kind } of CONNECTION_KINDS) expect(connectionKindInfo(kind).label).toBeTruthy();
});

it('makes a short name that the server takes', () => {
  expect(slugOf('My Workshop GPU')).toBe('my-workshop-gpu');
  expect(slugOf('Büro')).toBe('buro');
  expect(slugOf('  vLLM 0.9! ')).toBe('vllm-0.9');
  expect(slugOf('../etc')).toBe('etc');
  expect(slugOf('日本')).toBe('');
  expect(slugOf('x'.repeat(60))).toHaveLength(40);
});
