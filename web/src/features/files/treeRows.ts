/** The tree as the lines that are seen of it. */
import { nameOf } from './paths';
import type { FileView, FolderView } from './requests';

/** What is known of what lies directly in a folder. */
export interface FolderContents {
  readonly folders: readonly FolderView[];
  readonly files: readonly FileView[];
  /** After which path there is more; null when this is all. */
  readonly next: string | null;
  readonly problem: string;
}

interface RowBase {
  readonly key: string;
  readonly name: string;
  /** The path of the file or folder; of the folder with more in it, for the rest. */
  readonly path: string;
  readonly depth: number;
}
export type FolderRow = RowBase & {
  readonly kind: 'folder';
  readonly folder: FolderView;
  readonly open: boolean;
};
export type FileRow = RowBase & { readonly kind: 'file'; readonly file: FileView };
export type PlaceholderRow = RowBase & { readonly kind: 'more' | 'wait' | 'problem' };
export type Row = FolderRow | FileRow | PlaceholderRow;

export const folderKey = (path: string): string => `folder ${path}`;
export const fileKey = (id: string): string => `file ${id}`;

/** Return every line of the open folders, from a folder on; a file that moved meanwhile is there once. */
export function rowsOf(
  contentsByFolder: ReadonlyMap<string, FolderContents>,
  open: ReadonlySet<string>,
  folder = '',
  depth = 1,
  met = new Set<string>(),
): Row[] {
  const contents = contentsByFolder.get(folder);
  if (!contents) return [{ kind: 'wait', key: `wait ${folder}`, name: '', path: folder, depth }];
  const rows: Row[] = [];
  for (const subfolder of contents.folders) {
    const key = folderKey(subfolder.path);
    const isOpen = open.has(subfolder.path);
    rows.push({
      kind: 'folder',
      key,
      name: nameOf(subfolder.path),
      path: subfolder.path,
      depth,
      folder: subfolder,
      open: isOpen,
    });
    if (isOpen) rows.push(...rowsOf(contentsByFolder, open, subfolder.path, depth + 1, met));
  }
  for (const file of contents.files) {
    const key = fileKey(file.id);
    if (met.has(key)) continue;
    met.add(key);
    rows.push({ kind: 'file', key, name: nameOf(file.path), path: file.path, depth, file });
  }
  const rest = contents.problem ? 'problem' : contents.next !== null ? 'more' : null;
  if (rest) rows.push({ kind: rest, key: `${rest} ${folder}`, name: contents.problem, path: folder, depth });
  return rows;
}

/** Return the folder in which somebody is who looks at a row. */
export function folderOfRow(row: Row | undefined): string {
  if (!row) return '';
  return row.kind === 'file'
    ? row.path.slice(0, Math.max(0, row.path.length - row.name.length - 1))
    : row.path;
}

/** Return where the parent of a row stands; -1 at the top. */
export function parentIndex(rows: readonly Row[], index: number): number {
  const depth = rows[index]?.depth ?? 1;
  return rows.findLastIndex((row, place) => place < index && row.depth < depth);
}

/** Return the rows from one to another, whichever is first. */
export function rowsBetween(rows: readonly Row[], from: string, to: string): Row[] {
  const places = [from, to].map((key) => rows.findIndex((row) => row.key === key));
  const [first, last] = [Math.min(...places), Math.max(...places)];
  return first < 0 ? rows.filter((row) => row.key === to) : rows.slice(first, last + 1);
}

export const isFileOrFolder = (row: Row): row is FolderRow | FileRow =>
  row.kind === 'folder' || row.kind === 'file';
