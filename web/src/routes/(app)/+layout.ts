import { redirect } from '@sveltejs/kit';
import { api, unwrap, type ApiError } from '$api/client';
import { session } from '$features/session/session.svelte';
import type { LayoutLoad } from './$types';

/** Find out who this is; nobody is sent to the door. `problem` says why the server could not tell. */
export const load: LayoutLoad = async ({ url, untrack }) => {
  try {
    if (await session.load()) return { problem: null };
    const { needed } = await unwrap(api.GET('/api/setup'));
    const wanted = untrack(() => url.pathname + url.search);
    redirect(307, needed ? '/setup' : `/signin?next=${encodeURIComponent(wanted)}`);
  } catch (error) {
    if (error instanceof Error) return { problem: (error as ApiError).message };
    throw error;
  }
};
