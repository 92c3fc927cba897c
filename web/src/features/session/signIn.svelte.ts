import { goto } from '$app/navigation';
import { page } from '$app/state';
import { safeRedirectPath } from './redirectPath';
import { session, type Me } from './session.svelte';

/** Go where one wanted to go, now that the server knows who one is. */
export async function completeSignIn(me: Me): Promise<void> {
  session.me = me;
  await goto(safeRedirectPath(page.url.searchParams.get('next')), {
    replaceState: true,
    invalidateAll: true,
  });
}
