/** What happens with news of a message when the place where it was written is not open. */
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import { toasts } from '$ui/toasts.svelte';
import { addToDraft } from './drafts';
import type { News } from './outbox.svelte';
import { owner } from './owner';
import { words } from './texts';

/** Say that it was sent, or put the words back to where they were written and say why. */
export function tellUnread(news: News): void {
  if (news.kind === 'sent') {
    const { id } = news.turn.conversation;
    toasts.say(words.sentLater, {
      label: words.open,
      act: () => void goto(resolve('/(app)/c/[id]', { id })),
    });
  }
  if (news.kind === 'refused') {
    addToDraft(owner(), news.letter.place, news.letter.body.message);
    if (news.problem) toasts.problem(news.problem);
  }
}
