import { expect, it } from 'vitest';
import { parseDraft, draftKey, prependText, draftScopeOf } from './drafts';

it('keeps a draft for each conversation, each project and each person', () => {
  const keys = [
    draftKey('ana', draftScopeOf('con_1', 'prj_1')),
    draftKey('ana', draftScopeOf('con_2', null)),
    draftKey('ana', draftScopeOf(null, 'prj_1')),
    draftKey('ana', draftScopeOf(null, null)),
    draftKey('ben', draftScopeOf(null, null)),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

it('keeps the draft of a conversation whatever its project', () => {
  expect(draftScopeOf('con_1', 'prj_1')).toBe(draftScopeOf('con_1', null));
});

it('reads what was stored, and an empty draft from anything else', () => {
  const to = { model: 'a', effort: null };
  const conversationId = 'cnv_1';
  expect(parseDraft({ text: 'Hello', to, conversationId })).toEqual({ text: 'Hello', to, conversationId });
  expect(parseDraft({ text: 'Hello', to }).conversationId).toBeNull();
  for (const odd of [null, 7, 'text', { text: 3, to: 'a' }])
    expect(parseDraft(odd)).toEqual({ text: '', to: null, conversationId: null });
});

it('gives text back without losing what was written since', () => {
  expect(prependText('', 'First')).toBe('First');
  expect(prependText('  \n', 'First')).toBe('First');
  expect(prependText('Second', 'First')).toBe('First\n\nSecond');
  expect(prependText('First', 'First')).toBe('First');
});
