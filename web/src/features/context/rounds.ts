/** Where a round is: a summary knows rounds by their numbers, addresses by their ids. */
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import { api, need } from '$api/client';
import { toasts } from '$ui/toasts.svelte';
import { words } from './texts';

const PAGE = 100;

/** Show a round of a conversation; say so when it is on another branch. */
export async function goToRound(conversationId: string, number: number): Promise<void> {
  try {
    const id = await idOf(conversationId, number);
    if (!id) toasts.say(words.goneRound);
    else await show(conversationId, id);
  } catch (error) {
    toasts.problem(error);
  }
}

/** Return the id of a round on the branch that is shown, going back page by page; null if it is not there. */
export async function idOf(conversationId: string, number: number): Promise<string | null> {
  let before: string | null = null;
  do {
    const query: { limit: number; before?: string } = before ? { limit: PAGE, before } : { limit: PAGE };
    const params = { path: { conversation_id: conversationId }, query };
    const page = await need(api.GET('/api/conversations/{conversation_id}/rounds', { params }));
    const found = page.rounds.find((round) => round.number === number);
    if (found) return found.id;
    before = (page.rounds[0]?.number ?? 0) > number ? page.before : null;
  } while (before);
  return null;
}

async function show(id: string, roundId: string): Promise<void> {
  // An address that is there already would not lead anywhere again.
  if (location.hash === `#${roundId}`) await goto(resolve('/(app)/c/[id]', { id }), { replaceState: true });
  await goto(resolve(`/(app)/c/[id]#${roundId}`, { id }));
}
