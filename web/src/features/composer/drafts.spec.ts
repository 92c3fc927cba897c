import { expect, it } from 'vitest';
import { parseDraft, draftKey, prependText, draftScopeOf, returnText, type WrittenText } from './drafts';

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
  const returned = [{ at: 1, text: 'Hello' }];
  const stored = { text: 'Hello', returned, to, conversationId, temporary: true };
  expect(parseDraft(stored)).toEqual(stored);
  expect(parseDraft({ ...stored, returned: [7, null, { at: 'x' }] }).returned).toEqual([]);
  expect(parseDraft({ text: 'Hello', to }).conversationId).toBeNull();
  for (const odd of [null, 7, 'text', { text: 3, to: 'a' }])
    expect(parseDraft(odd)).toEqual({
      text: '',
      returned: [],
      to: null,
      conversationId: null,
      temporary: false,
    });
});

it('gives text back without losing what was written since', () => {
  expect(prependText('', 'First')).toBe('First');
  expect(prependText('  \n', 'First')).toBe('First');
  expect(prependText('Second', 'First')).toBe('First\n\nSecond');
  expect(prependText('First', 'First')).toBe('First');
});

const comeBack = (written: WrittenText, ...messages: readonly [number, string][]): WrittenText =>
  messages.reduce((draft, [at, text]) => returnText(draft, { at, text }), written);

it('gives messages back in the order in which they were written, before what was written since', () => {
  const since = { text: 'Since', returned: [] };
  expect(comeBack(since, [1, 'One'], [2, 'Two'], [3, 'Three']).text).toBe('One\n\nTwo\n\nThree\n\nSince');
  expect(comeBack(since, [2, 'Two'], [1, 'One']).text).toBe('One\n\nTwo\n\nSince');
  expect(comeBack({ text: '', returned: [] }, [1, 'One'], [2, 'Two']).text).toBe('One\n\nTwo');
});

it('puts a message before what came back and was changed', () => {
  const changed = { ...comeBack({ text: '', returned: [] }, [1, 'One']), text: 'Won' };
  expect(comeBack(changed, [2, 'Two'])).toEqual({ text: 'Two\n\nWon', returned: [{ at: 2, text: 'Two' }] });
});
