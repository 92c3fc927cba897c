/** The files that are attached to one conversation, and what can be done with them. */
import { offerUndo } from '$features/deletions/undo';
import { toasts } from '$ui/toasts.svelte';
import { nameOf } from './paths';
import { deleteAll, listAttachments, putIntoProject, type FileView } from './requests';
import { words } from './texts';

export class Attachments {
  files = $state.raw<readonly FileView[]>([]);
  /** Whether it is known which there are, or that nobody can tell. */
  loaded = $state(false);
  #conversationId: string | null;

  constructor(conversationId: string | null) {
    this.#conversationId = conversationId;
  }

  /** Fetch those of a conversation, or of the same as before. */
  async load(conversationId = this.#conversationId): Promise<void> {
    this.#conversationId = conversationId;
    if (!conversationId) return;
    try {
      this.files = (await listAttachments(conversationId)).files;
    } catch {
      // Whoever opens the list asks again.
    } finally {
      this.loaded = true;
    }
  }

  /** Make one a file of the project. */
  async putIntoProject(file: FileView): Promise<void> {
    try {
      await putIntoProject(file);
      toasts.show(words.putIntoProject(nameOf(file.path)));
    } catch (error) {
      toasts.showError(error);
    }
    await this.load();
  }

  /** Delete one, with an undo. */
  async remove(file: FileView): Promise<void> {
    try {
      const deletion = await deleteAll(file.project_id, { file_ids: [file.id], folders: [] });
      const text = words.deleted(nameOf(file.path));
      offerUndo(deletion, { text, label: words.undo, onrestored: () => this.load() });
    } catch (error) {
      toasts.showError(error);
    }
    await this.load();
  }
}
