/** Whose words the browser keeps: two people, or two workspaces, never see each other's. */
import { session } from '$features/session/session.svelte';

export const owner = (): string =>
  session.me ? `${session.me.workspace.id}.${session.me.user.id}` : 'nobody';
