/** Ways out. Each loads the page anew, so that nothing of one person or workspace is left for the next. */
import { api, unwrap } from '$api/client';
import { clearOfflineCache } from './offlineCache';
import { session, type Me } from './session.svelte';
import { toasts } from '$ui/toasts.svelte';

/** End the session in this browser. */
export const signOut = (): Promise<void> => requestAndReload(() => api.DELETE('/api/session'), '/signin');

/** Go to another workspace that the person belongs to. */
export const switchWorkspace = (id: string): Promise<void> =>
  requestAndReload(() => api.POST('/api/session/workspace', { body: { workspace_id: id } }), '/');

/** An answer that takes longer is asked for again; requests on a dead line would pile up. */
const SESSION_CHECK_TIMEOUT_MS = 5_000;

/** Go to the door when the session has ended elsewhere; begin anew when it is another member's. */
export async function reloadIfSessionChanged(): Promise<void> {
  const answer = await api
    .GET('/api/session', { signal: AbortSignal.timeout(SESSION_CHECK_TIMEOUT_MS) })
    .catch(() => null);
  if (!answer?.data) return;
  const { me } = answer.data;
  if (!me) {
    clearOfflineCache();
    location.assign(`/signin?next=${encodeURIComponent(location.pathname + location.search)}`);
  } else if (session.me && !isSameMember(me, session.me)) {
    clearOfflineCache();
    location.reload();
  }
}

const isSameMember = (one: Me, other: Me): boolean =>
  one.user.id === other.user.id && one.workspace.id === other.workspace.id;

async function requestAndReload(request: () => Parameters<typeof unwrap>[0], to: string): Promise<void> {
  try {
    await unwrap(request());
    clearOfflineCache();
    location.assign(to);
  } catch (error) {
    toasts.showError(error);
  }
}
