/** Things of the tree that are dragged within the page. */
import type { FileRow, FolderRow } from './treeRows';

type Thing = FileRow | FolderRow;

/** Browsers tell the kind of what is dragged, but not the things themselves before they are dropped. */
const DRAG_MIME_TYPE = 'application/x-tertulia-files';
let dragged: readonly Thing[] = [];

export function startDrag(event: DragEvent, things: readonly Thing[]): void {
  dragged = things;
  event.dataTransfer?.setData(DRAG_MIME_TYPE, String(things.length));
  if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
}

export const isRowDrag = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes(DRAG_MIME_TYPE) ?? false;

/** Return the folder that something is held over; null where there is none. */
export const dropTargetFolder = (event: DragEvent): string | null =>
  (event.target as Element | null)?.closest?.<HTMLElement>('[data-folder]')?.dataset['folder'] ?? null;

export const draggedRows = (): readonly Thing[] => dragged;
