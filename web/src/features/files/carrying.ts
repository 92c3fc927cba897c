/** Things of the tree that are dragged within the page. */
import type { FileRow, FolderRow } from './rows';

type Thing = FileRow | FolderRow;

/** Browsers tell the kind of what is dragged, but not the things themselves before they are dropped. */
const KIND = 'application/x-tertulia-files';
let held: readonly Thing[] = [];

export function carry(event: DragEvent, things: readonly Thing[]): void {
  held = things;
  event.dataTransfer?.setData(KIND, String(things.length));
  if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
}

export const isCarried = (event: DragEvent): boolean => event.dataTransfer?.types.includes(KIND) ?? false;

/** Return the folder that something is held over; null where there is none. */
export const folderBelow = (event: DragEvent): string | null =>
  (event.target as Element | null)?.closest?.<HTMLElement>('[data-folder]')?.dataset['folder'] ?? null;

export const carried = (): readonly Thing[] => held;
