import { goto } from '$app/navigation';
import { api, unwrap } from '$api/client';
import { offerUndo } from '$features/deletions/undo';
import { toasts } from '$ui/toasts.svelte';
import { conversationStore } from './conversationStore.svelte';
import { words } from './texts';

/** Delete a conversation, with an undo; whoever has it open is shown it again where it is still there. */
export async function deleteConversation(id: string, isOpen: boolean): Promise<void> {
  const showAgain = (): unknown => isOpen && goto(`/c/${id}`);
  const path = { conversation_id: id };
  // Sent before anything is waited for: the page may be closed right after the click.
  const request = unwrap(api.POST('/api/conversations/{conversation_id}/deletion', { params: { path } }));
  const left = isOpen ? goto('/') : Promise.resolve();
  try {
    const [deletion] = await Promise.all([request, left]);
    conversationStore.remove(id);
    offerUndo(deletion, { text: words.deleted, label: words.undo, onrestored: showAgain });
  } catch (error) {
    toasts.showError(error);
    await showAgain();
  }
}
