/** Deleting with an undo that the server holds: it is gone at once, whatever happens to the page. */
import { api, unwrap, type Schemas } from '$api/client';
import { toasts } from '$ui/toasts.svelte';

export type Deletion = Schemas['DeletionView'];

interface Undo {
  /** What to say about the deletion. */
  readonly text: string;
  readonly label: string;
  /** Called once what was deleted is there again. */
  readonly onrestored: () => unknown;
}

/** Say that something was deleted, and restore it when the person asks for that. */
export function offerUndo(deletion: Deletion, { text, label, onrestored }: Undo): void {
  const act = async (): Promise<void> => {
    try {
      const path = { deletion_id: deletion.id };
      await unwrap(api.POST('/api/deletions/{deletion_id}/restore', { params: { path } }));
      await onrestored();
    } catch (error) {
      toasts.showError(error);
    }
  };
  toasts.show(text, { label, act: () => void act() });
}
