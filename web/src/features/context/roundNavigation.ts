/** Going to a round that the address names already. */
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';

/** Show a round once more: an address that is there already would not lead anywhere again. */
export async function revisitRound(id: string, roundId: string): Promise<void> {
  await goto(resolve('/(app)/c/[id]', { id }), { replaceState: true });
  await goto(resolve(`/(app)/c/[id]#${roundId}`, { id }));
}
