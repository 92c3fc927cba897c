/** What a person does in a conversation. What is refused is said, and nothing changes. */
import { api, unwrap, type Conversation, type Reply, type Round, type Schemas } from '$api/client';
import { toasts } from '$ui/toasts.svelte';
import type { OpenConversation } from './openConversation.svelte';

type Change = Partial<Schemas['ConversationChange']>;

/** Do something; the server's sentence is shown when it cannot be done. */
async function attempt<T>(doing: () => Promise<T>): Promise<T | null> {
  try {
    return await doing();
  } catch (error) {
    toasts.showError(error);
    return null;
  }
}

const ofReply = (reply: Reply) => ({ params: { path: { reply_id: reply.id } } });
const ofRound = (round: Round) => ({ params: { path: { round_id: round.id } } });
const of = (id: string) => ({ params: { path: { conversation_id: id } } });

export const stopReply = (reply: Reply) =>
  attempt(() => unwrap(api.POST('/api/replies/{reply_id}/stop', ofReply(reply))));

export const stopRound = (round: Round) =>
  attempt(() => unwrap(api.POST('/api/rounds/{round_id}/stop', ofRound(round))));

/** Have a reply written once more, perhaps by another model, perhaps without some of what it was shown. */
export const regenerateReply = (reply: Reply, model: string | null = null, leave_out: string[] = []) =>
  attempt(() =>
    unwrap(api.POST('/api/replies/{reply_id}/regenerate', { ...ofReply(reply), body: { model, leave_out } })),
  );

/** Have a message shown to models always, never, or only to local ones; other marks stay as they are. */
export const setMarks = (messageId: string, marks: Partial<Schemas['MarksChange']>) =>
  attempt(() =>
    unwrap(
      api.PUT('/api/messages/{message_id}/marks', {
        params: { path: { message_id: messageId } },
        body: marks as Schemas['MarksChange'],
      }),
    ),
  );

export const continueReply = (reply: Reply) =>
  attempt(() => unwrap(api.POST('/api/replies/{reply_id}/continue', ofReply(reply))));

/** Have one more model join the answers into one. */
export const mergeReplies = (round: Round, model: string) =>
  attempt(() => unwrap(api.POST('/api/rounds/{round_id}/merge', { ...ofRound(round), body: { model } })));

/** Have one more model rank the answers. */
export const judgeReplies = (round: Round, model: string) =>
  attempt(() => unwrap(api.POST('/api/rounds/{round_id}/judge', { ...ofRound(round), body: { model } })));

/** Ask with other words, with the same pictures; true when it was accepted. */
export async function editQuestion(
  opened: OpenConversation,
  round: Round,
  message: string,
): Promise<boolean> {
  const turn = await attempt(async () => {
    const images = await Promise.all(round.question.attachments.map(({ id }) => pictureOf(id)));
    const body = { message, images, policy: round.policy, models: [] };
    return unwrap(api.POST('/api/rounds/{round_id}/edit', { ...ofRound(round), body }));
  });
  if (turn) opened.addTurn(turn);
  return turn !== null;
}

/** Show the branch that goes through another round; true when it is shown. */
export async function showBranch(opened: OpenConversation, roundId: string): Promise<boolean> {
  const body = { round_id: roundId };
  const shown = await attempt(() =>
    unwrap(api.PUT('/api/conversations/{conversation_id}/head', { ...of(opened.id), body })),
  );
  if (shown) await opened.open();
  return shown !== null;
}

export const renameConversation = (id: string, title: string) =>
  attempt(() =>
    unwrap(api.PUT('/api/conversations/{conversation_id}/title', { ...of(id), body: { title } })),
  );

/** Archive, pin or share a conversation. */
export const changeConversation = (id: string, values: Change) =>
  attempt(() =>
    unwrap(
      api.PUT('/api/conversations/{conversation_id}', {
        ...of(id),
        body: values as Schemas['ConversationChange'],
      }),
    ),
  );

/** Fetch a conversation as a file. */
export const exportConversation = ({ id }: Conversation, format: Schemas['ExportFormat']) =>
  attempt(
    async () =>
      (await unwrap(
        api.POST('/api/conversations/{conversation_id}/export', {
          ...of(id),
          body: { format },
          parseAs: 'blob',
        }),
      )) as Blob,
  );

/** Copy a text, and say so. */
export async function copyText(text: string, said: string): Promise<void> {
  if ((await attempt(async () => (await navigator.clipboard.writeText(text), true))) !== null)
    toasts.show(said);
}

async function pictureOf(id: string): Promise<{ data: string }> {
  const picture = await unwrap(
    api.GET('/api/attachments/{attachment_id}', {
      params: { path: { attachment_id: id } },
      parseAs: 'blob',
    }),
  );
  return { data: await base64(picture as unknown as Blob) };
}

const base64 = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(reader.error ?? new Error());
    reader.readAsDataURL(blob);
  });
