/** Who the members are called, as far as the person may know. */
import { SvelteMap } from 'svelte/reactivity';
import { api, unwrap } from '$api/client';
import { session } from '$features/session/session.svelte';
import { words } from './texts';

const names = new SvelteMap<string, string>();
let asked: Promise<void> | null = null;
let isLoaded = $state(false);

async function ask(): Promise<void> {
  const { items } = await unwrap(api.GET('/api/members'));
  for (const member of items) names.set(member.user_id, member.name || member.email);
  isLoaded = true;
}

/** Return what a member is called: nobody in particular until the list is here, then one who has left. */
export function memberName(id: string): string {
  if (session.me?.user.id === id) return words.you;
  asked ??= ask().catch(() => undefined);
  return names.get(id) ?? (isLoaded ? words.former : words.someone);
}
