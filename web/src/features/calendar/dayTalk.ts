/** Conversations about a day. */
import { api, unwrap } from '$api/client';
import type { Day } from '$lib/zonedTime';
import { toasts } from '$ui/toasts.svelte';

/** Begin a conversation about a day; its address, or null where it was refused. */
export async function talkAboutDay(day: Day): Promise<string | null> {
  try {
    const body = { anchor: { kind: 'day' as const, id: day } };
    const { id } = await unwrap(api.POST('/api/conversations', { body: body as never }));
    return `/c/${id}`;
  } catch (error) {
    toasts.showError(error);
    return null;
  }
}
