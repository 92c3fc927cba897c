/** The round that an address points at: by its own id, or by that of a message in it. */
import { fetchMessage } from '$features/memory/requests';
import type { OpenConversation } from './openConversation.svelte';

/** Return the id of a round; that of a message where this is no longer there. */
export async function findTargetRound({ id, rounds }: OpenConversation, target: string): Promise<string> {
  if (!target.startsWith('msg_')) return target;
  const shown = rounds.find(({ question }) => question.id === target);
  return shown?.id ?? (await fetchMessage(id, target))?.round_id ?? target;
}
