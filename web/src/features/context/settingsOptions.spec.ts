import { describe, expect, it } from 'vitest';
import {
  levelHint,
  levelOptions,
  hasSameOverrides,
  strategyOptions,
  parseTokenLimit,
  tokensPlaceholder,
  toolOptions,
} from './settingsOptions';

const project = {
  context_strategy: 'balanced',
  context_level: 'full',
  max_context_tokens: 4000,
  context_tools: 'suited',
} as const;

describe('what is left open', () => {
  it('says what the project says', () => {
    expect(strategyOptions(project)[0]).toEqual({ value: '', label: 'As the project: Balanced' });
    expect(levelOptions(project)[0]).toEqual({ value: '', label: 'As the project: Full' });
    expect(toolOptions({ ...project, context_tools: 'all' })[0]?.label).toBe('As the project: Every model');
    expect(tokensPlaceholder(project)).toBe('As the project: 4,000');
    expect(levelHint('', project)).toContain('13 rounds');
  });

  it('without a project is as the server does it', () => {
    expect(strategyOptions(null)[0]?.label).toBe('As usual: Smart');
    expect(levelOptions(null)[0]?.label).toBe('As suits each model');
    expect(tokensPlaceholder(null)).toBe('As each model allows');
  });
});

it('takes the number of tokens that the server takes', () => {
  expect(parseTokenLimit('')).toBeNull();
  expect(parseTokenLimit(null)).toBeNull();
  expect(parseTokenLimit(8000)).toBe(8000);
  expect(['255', '1.5', '99999999', 'many'].map(parseTokenLimit)).toEqual(Array(4).fill(undefined));
});

it('knows when nothing was changed: null and nothing are the same wish', () => {
  expect(hasSameOverrides({ strategy: null }, {})).toBe(true);
  expect(hasSameOverrides({ level: 'full' }, { level: 'light' })).toBe(false);
  expect(hasSameOverrides({ tools: 'all' }, {})).toBe(false);
});
