/** Looking through a conversation for what is worth remembering. */
import { goto } from '$app/navigation';
import { toasts } from '$ui/toasts.svelte';
import { memoryFeed } from './memoryFeed.svelte';
import { extractMemories } from './requests';
import { words } from './texts';

/** Look through what the person wrote, and say how much was found; false where that was refused. */
export async function lookThrough(conversationId: string): Promise<boolean> {
  toasts.show(words.looking);
  try {
    const { memories } = await extractMemories(conversationId);
    const proposed = memories.filter(({ status }) => status === 'proposed').length;
    if (proposed)
      toasts.show(words.found(proposed), { label: words.review, act: () => void goto('/memory/inbox') });
    if (memories.length > proposed) toasts.show(words.takenNow(memories.length - proposed));
    if (!memories.length) toasts.show(words.foundNothing);
    memoryFeed.noteChange();
    return true;
  } catch (error) {
    toasts.showError(error);
    return false;
  }
}
