import { expect, it } from 'vitest';
import { changedSettings } from './changedSettings';

const before = {
  monthly_limit_usd: 50,
  monthly_limit_per_person_usd: null,
  lanes_per_person: null,
  lanes_per_workspace: 8,
  utility_model: null,
  default_models: ['gpt-5'],
};

it('sends what was changed, and nothing else', () => {
  expect(changedSettings(before, { ...before, default_models: ['gpt-5'] })).toEqual({});
  expect(changedSettings(before, { ...before, lanes_per_person: 3 })).toEqual({ lanes_per_person: 3 });
});

it('takes a limit away with null, and tells the order of models', () => {
  const after = { ...before, monthly_limit_usd: null, default_models: ['o3', 'gpt-5'] };
  expect(changedSettings(before, after)).toEqual({
    monthly_limit_usd: null,
    default_models: ['o3', 'gpt-5'],
  });
});
