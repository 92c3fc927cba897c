/** What a person does with a memory. What is refused is said, and the list is fetched again. */
import { offerUndo } from '$features/deletions/undo';
import { toasts } from '$ui/toasts.svelte';
import { memoryFeed } from './memoryFeed.svelte';
import {
  approveMemories,
  changeMemory,
  confirmMemory,
  createMemory,
  deleteMemory,
  undoSupersession,
  type Memory,
  type MemoryChange,
  type NewMemory,
} from './requests';
import { words } from './texts';

/** Do something; null when the server refused it, and then its sentence is shown. */
async function attempt<T>(doing: () => Promise<T>): Promise<T | null> {
  try {
    return await doing();
  } catch (error) {
    toasts.showError(error);
    return null;
  } finally {
    memoryFeed.noteChange();
  }
}

export const addMemory = (body: NewMemory): Promise<Memory | null> => attempt(() => createMemory(body));

export const editMemory = (memory: Memory, values: MemoryChange): Promise<Memory | null> =>
  attempt(() => changeMemory(memory, values));

/** Put a memory into the archive, with a way back; or take it out. */
export async function archiveMemory(memory: Memory, archived: boolean): Promise<Memory | null> {
  const changed = await attempt(() => changeMemory(memory, { archived }));
  if (changed && archived)
    toasts.show(words.archived, { label: words.undo, act: () => void archiveMemory(changed, false) });
  return changed;
}

/** Say that a memory still holds, so that nothing asks to look at it again. */
export async function confirmStillHolds(memory: Memory): Promise<Memory | null> {
  const confirmed = await attempt(() => confirmMemory(memory.id));
  if (confirmed) toasts.show(words.confirmed);
  return confirmed;
}

/** Let what a memory took the place of hold again. */
export async function undoMemory(memory: Memory): Promise<boolean> {
  const undone = await attempt(() => undoSupersession(memory.id));
  if (undone) toasts.show(words.undone);
  return undone !== null;
}

/** Remember what was turned down. */
export const approveRejected = (memory: Memory): Promise<unknown> =>
  attempt(() => approveMemories([memory.id]));

/** Delete a memory, with a way back. */
export async function removeMemory(memory: Memory): Promise<boolean> {
  const deletion = await attempt(() => deleteMemory(memory.id));
  if (!deletion) return false;
  const onrestored = () => {
    memoryFeed.noteChange();
    toasts.show(words.restored);
  };
  offerUndo(deletion, { text: words.deleted, label: words.undo, onrestored });
  return true;
}
