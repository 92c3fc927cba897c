import { expect, it } from 'vitest';
import { changedFlags, flagValues, personalValues } from './flags';

const view = {
  workspace: { hybrid: false, dense: true, token_budget: 500, rerank_alpha: null },
  chosen: ['hybrid', 'token_budget'],
};

it('shows only what the workspace decided; the rest is the server’s', () => {
  const form = flagValues(view);
  expect([form.hybrid, form.token_budget, form.dense, form.rerank_alpha]).toEqual(['false', '500', '', '']);
});

it('tells only what changed, and gives back with null', () => {
  const form = flagValues(view);
  expect(changedFlags(form, form)).toEqual({});
  expect(changedFlags(form, { ...form, hybrid: '', dense: 'false', rerank_alpha: '0.4' })).toEqual({
    hybrid: null,
    dense: false,
    rerank_alpha: 0.4,
  });
});

it('shows only what a person decided for themselves', () => {
  const form = personalValues({
    current: { hybrid: false, token_budget: 300 },
    origins: { hybrid: 'workspace', token_budget: 'person' },
  });
  expect([form.hybrid, form.token_budget, form.summary_frequency]).toEqual(['', '300', '']);
});

it('takes a number as the browser gives it', () => {
  const form = flagValues(view);
  expect(changedFlags(form, { ...form, token_budget: 500 as unknown as string })).toEqual({});
  expect(changedFlags(form, { ...form, token_budget: null as unknown as string })).toEqual({
    token_budget: null,
  });
});
