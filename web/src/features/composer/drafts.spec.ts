import { expect, it } from 'vitest';
import { draftFrom, draftKey, givenBack, placeOf } from './drafts';

it('keeps a draft for each conversation, each project and each person', () => {
  const keys = [
    draftKey('ana', placeOf('con_1', 'prj_1')),
    draftKey('ana', placeOf('con_2', null)),
    draftKey('ana', placeOf(null, 'prj_1')),
    draftKey('ana', placeOf(null, null)),
    draftKey('ben', placeOf(null, null)),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

it('keeps the draft of a conversation whatever its project', () => {
  expect(placeOf('con_1', 'prj_1')).toBe(placeOf('con_1', null));
});

it('reads what was stored, and an empty draft from anything else', () => {
  const to = { model: 'a', effort: null };
  const conversationId = 'cnv_1';
  expect(draftFrom({ text: 'Hello', to, conversationId })).toEqual({ text: 'Hello', to, conversationId });
  expect(draftFrom({ text: 'Hello', to }).conversationId).toBeNull();
  for (const odd of [null, 7, 'text', { text: 3, to: 'a' }])
    expect(draftFrom(odd)).toEqual({ text: '', to: null, conversationId: null });
});

it('gives text back without losing what was written since', () => {
  expect(givenBack('', 'First')).toBe('First');
  expect(givenBack('  \n', 'First')).toBe('First');
  expect(givenBack('Second', 'First')).toBe('First\n\nSecond');
  expect(givenBack('First', 'First')).toBe('First');
});
