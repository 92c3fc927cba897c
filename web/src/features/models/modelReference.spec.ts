import { expect, it } from 'vitest';
import { findModel } from './modelReference';

const OPENAI = { id: 'larch', connection: 'openai', name: 'larch' };
const ROUTER = { id: 'router/larch', connection: 'router', name: 'larch' };

it.each([
  ['larch', OPENAI],
  ['openai/larch', OPENAI],
  ['router/larch', ROUTER],
  ['other/larch', undefined],
])('the reference %s finds its model', (reference, model) => {
  expect(findModel([ROUTER, OPENAI], reference)).toBe(model);
});
