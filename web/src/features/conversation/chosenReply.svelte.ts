/** The answer from which the person goes on; the next question follows it alone. */
import type { Reply } from '$api/client';

class ChosenReply {
  reply = $state.raw<Reply | null>(null);

  /** The chosen reply's id, or null. */
  get id(): string | null {
    return this.reply?.id ?? null;
  }

  /** Choose a reply, or take the choice back. */
  toggle(reply: Reply): void {
    this.reply = this.id === reply.id ? null : reply;
  }

  clear(): void {
    this.reply = null;
  }
}

export const chosenReply = new ChosenReply();
