/** Ways out. Each loads the page anew, so that nothing of one person or workspace is left for the next. */
import { api, need } from '$api/client';
import { forgetLast } from '$features/session/last';
import { toasts } from '$ui/toasts.svelte';

/** End the session in this browser. */
export const signOut = (): Promise<void> => leave(() => api.DELETE('/api/session'), '/signin');

/** Go to another workspace that the person belongs to. */
export const switchWorkspace = (id: string): Promise<void> =>
  leave(() => api.POST('/api/session/workspace', { body: { workspace_id: id } }), '/');

/** An answer that takes longer is asked for again; requests on a dead line would pile up. */
const PATIENCE = 5_000;

/** Go to the door when the session has ended elsewhere. */
export async function leaveIfSignedOut(): Promise<void> {
  const answer = await api.GET('/api/me', { signal: AbortSignal.timeout(PATIENCE) }).catch(() => null);
  if (!answer || ![401, 403].includes(answer.response.status)) return;
  forgetLast();
  location.assign(`/signin?next=${encodeURIComponent(location.pathname + location.search)}`);
}

async function leave(request: () => Parameters<typeof need>[0], to: string): Promise<void> {
  try {
    await need(request());
    forgetLast();
    location.assign(to);
  } catch (error) {
    toasts.problem(error);
  }
}
