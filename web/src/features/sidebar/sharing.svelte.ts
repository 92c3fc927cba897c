/** Sharing a conversation with the workspace: its files go along, which is said before. */
import type { Conversation } from '$api/client';
import { listAttachments } from '$features/files/requests';
import { toasts } from '$ui/toasts.svelte';

interface Question {
  readonly title: string | null;
  readonly files: number;
  readonly share: () => unknown;
}

class Sharing {
  /** What the person is asked before a conversation with files is shared; null while nothing is. */
  question = $state.raw<Question | null>(null);

  /** Share a conversation, once the person has agreed where it has files. */
  async begin({ id, title }: Conversation, share: () => unknown): Promise<void> {
    try {
      const files = (await listAttachments(id)).files.length;
      if (files) this.question = { title, files, share };
      else await share();
    } catch (error) {
      toasts.showError(error);
    }
  }
}

export const sharing = new Sharing();
