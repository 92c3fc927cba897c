/** What a person drops, pastes or chooses, as files with paths: folders are walked through. */
import { nameOf } from './paths';

export interface FileWithPath {
  readonly path: string;
  readonly file: File;
}
export interface FileSelection {
  readonly files: FileWithPath[];
  /** Paths that were left out, and whether the computer made them for itself. */
  readonly leftOut: { path: string; ours: boolean }[];
}

const SYSTEM_FILE_NAMES = /^(\.DS_Store|Thumbs\.db|desktop\.ini|\._.+)$/;

/** Tell whether a file is one that computers leave in folders for themselves. */
export const isSystemFile = (path: string): boolean =>
  SYSTEM_FILE_NAMES.test(nameOf(path)) || path.split('/').includes('__MACOSX');

/** Take the files of an input or the clipboard; those of a folder know where in it they lie. */
export function filesFromList(list: Iterable<File>): FileSelection {
  const found = [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  return sorted(found, []);
}

/** Take what was dropped. The entries must be asked for at once: after the event they are gone. */
export async function filesFromDrop(data: DataTransfer): Promise<FileSelection> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (!entries.length) return filesFromList(data.files);
  const found: FileWithPath[] = [];
  const failed: string[] = [];
  for (const entry of entries) await walk(entry, '', found, failed);
  return sorted(found, failed);
}

async function walk(entry: FileSystemEntry, folder: string, found: FileWithPath[], failed: string[]) {
  const path = folder + entry.name;
  try {
    if (entry.isFile) found.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
    else
      for (const child of await childrenOf(entry as FileSystemDirectoryEntry))
        await walk(child, `${path}/`, found, failed);
  } catch {
    failed.push(path);
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // Browsers give a hundred at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!some.length) return all;
    all.push(...some);
  }
}

function sorted(found: readonly FileWithPath[], failed: readonly string[]): FileSelection {
  return {
    files: found.filter(({ path }) => !isSystemFile(path)),
    leftOut: [
      ...found.filter(({ path }) => isSystemFile(path)).map(({ path }) => ({ path, ours: true })),
      ...failed.map((path) => ({ path, ours: false })),
    ],
  };
}

/** Return the names of archives that could be unpacked. */
export const archiveNames = ({ files }: FileSelection): string[] =>
  files.filter(({ path }) => /\.zip$/i.test(path)).map(({ path }) => nameOf(path));

/** Cut files into forms of a handful each, so that one large file holds up few others. */
export function uploadBatches(
  files: readonly FileWithPath[],
  most = 50,
  bytes = 50_000_000,
): FileWithPath[][] {
  const forms: FileWithPath[][] = [];
  let size = Infinity;
  for (const file of files) {
    const last = forms.at(-1);
    if (!last || last.length >= most || size + file.file.size > bytes) {
      forms.push([file]);
      size = file.file.size;
    } else {
      last.push(file);
      size += file.file.size;
    }
  }
  return forms;
}
