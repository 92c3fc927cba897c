/** What happens with news of a message when the place where it was written is not open. */
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import { toasts } from '$ui/toasts.svelte';
import { addToDraft } from './drafts';
import type { OutboxEvent } from './outbox.svelte';
import { storageOwner } from '$features/session/storageOwner';
import { words } from './texts';

/** Say that it was sent, or put the words back to where they were written and say why. */
export function notifyOutboxEvent(news: OutboxEvent): void {
  if (news.kind === 'sent') {
    const { id } = news.turn.conversation;
    toasts.show(words.sentLater, {
      label: words.open,
      act: () => void goto(resolve('/(app)/c/[id]', { id })),
    });
  }
  if (news.kind === 'refused') {
    const { at, body, place } = news.letter;
    addToDraft(storageOwner(), place, { at, text: body.message }, body.temporary);
    if (news.problem) toasts.showError(news.problem);
  }
}
