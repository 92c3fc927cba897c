import { goto } from '$app/navigation';
import { page } from '$app/state';
import { localPath } from './next';
import { session, type Me } from './session.svelte';

/** Go where one wanted to go, now that the server knows who one is. */
export async function enter(me: Me): Promise<void> {
  session.me = me;
  await goto(localPath(page.url.searchParams.get('next')), { replaceState: true, invalidateAll: true });
}
