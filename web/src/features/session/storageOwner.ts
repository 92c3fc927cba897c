/** Whose words the browser keeps: two people, or two workspaces, never see each other's. */
import { session } from './session.svelte';

export const storageOwner = (): string =>
  session.me ? `${session.me.workspace.id}.${session.me.user.id}` : 'nobody';
