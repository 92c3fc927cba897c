/** What people say to models at work. What is refused is said; true when it was taken. */
import { api, unwrap, type Schemas } from '$api/client';
import { toasts } from '$ui/toasts.svelte';

export type ApprovalDecision = Partial<Schemas['DecisionBody']> & { approve: boolean };

async function done(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    toasts.showError(error);
    return false;
  }
}

/** Say yes or no to a call that waits. */
export const decideApproval = (
  replyId: string,
  callId: string,
  decision: ApprovalDecision,
): Promise<boolean> =>
  done(
    unwrap(
      api.POST('/api/replies/{reply_id}/calls/{call_id}/decision', {
        params: { path: { reply_id: replyId, call_id: callId } },
        body: decision as Schemas['DecisionBody'],
      }),
    ),
  );

/** Tell one model something, which it reads at its next step. */
export const sendNote = (replyId: string, text: string): Promise<boolean> =>
  done(
    unwrap(
      api.POST('/api/replies/{reply_id}/steer', {
        params: { path: { reply_id: replyId } },
        body: { text },
      }),
    ),
  );

/** Tell every model that is at work in a round. */
export const sendNoteToRound = (roundId: string, text: string): Promise<boolean> =>
  done(
    unwrap(
      api.POST('/api/rounds/{round_id}/steer', {
        params: { path: { round_id: roundId } },
        body: { text },
      }),
    ),
  );
