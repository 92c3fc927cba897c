// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { api, ApiError } from '$api/client';
import { ComposerState } from './composerState.svelte';
import { addToDraft, draftKey, parseDraft } from './drafts';
import { newMessage, type NewTurn } from './messageQueue';
import { outbox } from './outbox.svelte';
import { storageOwner } from '$features/session/storageOwner';
import { readStored, writeStored } from '$lib/storage';

vi.mock('$app/navigation', () => ({ goto: vi.fn() }));

const SEAT = { model: 'a', effort: null };
const ok = (data: unknown) => ({ data, response: new Response() });
const sent = (): NewTurn[] => vi.mocked(outbox.post).mock.calls.map(([body]) => body);
/** What the server was told of the conversation that was made for files. */
const marked = () => vi.mocked(api.PUT).mock.calls.map((call) => (call[1] as { body: object }).body);

function composing(): ComposerState {
  const composing = new ComposerState(null, null);
  composing.table.seats = [SEAT];
  return composing;
}
async function send(composing: ComposerState, text: string): Promise<void> {
  composing.text = text;
  await composing.send(null);
}

beforeEach(() => {
  vi.spyOn(outbox, 'open').mockReturnValue();
  vi.spyOn(outbox, 'post').mockReturnValue();
  vi.spyOn(api, 'GET').mockResolvedValue(ok({ files: [] }) as never);
  vi.spyOn(api, 'PUT').mockResolvedValue(ok({}) as never);
});
afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

/** A composer whose conversation was made for a file. */
function withFile(temporary: boolean): ComposerState {
  const draft = { text: 'Look', returned: [], to: null, conversationId: 'cnv_1', temporary };
  writeStored(draftKey(storageOwner(), 'new'), draft);
  return composing();
}

it('sends all that is written before the conversation has a name into a temporary one', async () => {
  const state = composing();
  await state.setTemporary(true);
  await send(state, 'First');
  await send(state, 'Second');
  expect(sent().map(({ temporary }) => temporary)).toEqual([true, true]);
});

it('begins one that stays once that is chosen for what came back', async () => {
  const state = composing();
  await state.setTemporary(true);
  await send(state, 'First');
  state.restore(newMessage(sent()[0] as NewTurn, 'k', 1));
  expect(state.temporary).toBe(true);
  await state.setTemporary(false);
  await send(state, 'First');
  expect(sent().map(({ temporary }) => temporary)).toEqual([true, false]);
});

it('keeps what came back while nobody looked temporary', () => {
  addToDraft('ana', 'new', { at: 1, text: 'Secret' }, true);
  addToDraft('ana', 'new', { at: 2, text: 'Other' });
  const draft = parseDraft(readStored(draftKey('ana', 'new')));
  expect([draft.text, draft.temporary]).toEqual(['Secret\n\nOther', true]);
});

it('lets the conversation that was made for a file become temporary, and stay after all', async () => {
  const state = withFile(false);
  expect(state.canBeTemporary).toBe(true);
  await state.setTemporary(true);
  await state.setTemporary(false);
  expect(marked()).toEqual([{ temporary: true }, { temporary: false }]);
});

it('shows what holds where the choice is refused', async () => {
  vi.mocked(api.PUT).mockResolvedValue({
    error: { error: { code: 'conversation_stays', message: 'It stays.' } },
    response: new Response(null, { status: 409 }),
  } as never);
  const state = withFile(false);
  await state.setTemporary(true);
  expect(state.temporary).toBe(false);
});

it('begins anew where the conversation that was made for a file is gone', async () => {
  const state = withFile(true);
  await state.send(null);
  const letter = newMessage(sent()[0] as NewTurn, 'k', 1);
  expect(letter.body.conversation_id).toBe('cnv_1');
  const problem = new ApiError(404, 'not_found', 'There is no such conversation.');
  const ignore = () => undefined;
  expect(state.handleOutboxEvent({ kind: 'refused', letter, problem }, ignore, ignore)).toBe(true);
  expect([state.text, state.temporary]).toEqual(['Look', true]);
  await state.send(null);
  expect(sent()[1]).toMatchObject({ conversation_id: null, temporary: true });
});
