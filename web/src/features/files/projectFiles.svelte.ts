/** The files of one project as the page has them: the tree, what is on its way, and what can be done. */
import { SvelteSet } from 'svelte/reactivity';
import { offerUndo } from '$features/deletions/undo';
import { toasts } from '$ui/toasts.svelte';
import type { FileSelection } from './fileSelection';
import { IndexProgress } from './indexProgress.svelte';
import { pathAfterMove } from './paths';
import * as requests from './requests';
import type { FileView, Metadata } from './requests';
import type { FileRow, FolderRow } from './treeRows';
import { FileSearch } from './fileSearch.svelte';
import { words } from './texts';
import { FileTree } from './fileTree.svelte';
import { Upload, Uploads } from './uploads.svelte';

type Thing = FileRow | FolderRow;

/** How many files are changed in one go. */
const BULK_CHANGE_MAX_FILES = 1000;

export class ProjectFiles {
  readonly projectId: string;
  readonly tree: FileTree;
  /** Keys of what was deleted here: whoever looks at it is told so. */
  readonly deleted = new SvelteSet<string>();
  readonly indexProgress: IndexProgress;
  readonly search: FileSearch;
  readonly uploads = new Uploads();

  constructor(projectId: string) {
    this.projectId = projectId;
    this.tree = new FileTree(projectId);
    this.indexProgress = new IndexProgress(projectId);
    this.search = new FileSearch(projectId);
  }

  /** Fetch what is seen first; the returned function ends what goes on by itself. */
  open(): () => void {
    void this.tree.load();
    void this.indexProgress.watch();
    return () => this.indexProgress.stop();
  }

  async refresh(): Promise<void> {
    await Promise.all([this.tree.refresh(), this.indexProgress.watch()]);
  }

  /** Delete things, with an undo that brings all of them back. */
  async remove(things: readonly Thing[]): Promise<void> {
    if (!things.length) return;
    const file_ids = things.flatMap((thing) => (thing.kind === 'file' ? [thing.file.id] : []));
    const folders = things.flatMap((thing) => (thing.kind === 'folder' ? [thing.path] : []));
    try {
      const deletion = await requests.deleteAll(this.projectId, { file_ids, folders });
      for (const { key } of things) this.deleted.add(key);
      const onrestored = async (): Promise<void> => {
        await this.refresh();
        for (const { key } of things) this.deleted.delete(key);
      };
      offerUndo(deletion, { text: deletedText(things), label: words.undo, onrestored });
    } catch (error) {
      toasts.showError(error);
    }
    await this.refresh();
  }

  /** Send files to a folder. */
  async upload(haul: FileSelection, prefix: string, unpack: boolean): Promise<void> {
    const upload = new Upload(haul, prefix);
    this.uploads.add(upload);
    await upload.run(requests.filesUrl(this.projectId), haul.files, { prefix, unpack });
    if (prefix && upload.kept) this.tree.open.add(prefix);
    await this.refresh();
    if (upload.state === 'done' && !upload.skipped.length)
      setTimeout(() => this.uploads.dismiss(upload), 6000);
  }

  /** Begin an empty text; null when that is refused. */
  async create(path: string): Promise<FileView> {
    const file = await requests.createText(this.projectId, path);
    await this.tree.refresh();
    await this.tree.reveal(file);
    void this.indexProgress.watch();
    return file;
  }

  /** Give one thing another path. */
  async rename(thing: Thing, path: string): Promise<void> {
    await this.#send(thing, path);
    if (thing.kind === 'folder' && this.tree.open.delete(thing.path)) this.tree.open.add(path);
    await this.refresh();
  }

  /** Move things to a folder; what cannot go there stays, and is said. */
  async move(things: readonly Thing[], folder: string): Promise<void> {
    let moved = 0;
    for (const thing of things) {
      const path = pathAfterMove(thing.path, folder);
      if (path === null) continue;
      try {
        moved += await this.#send(thing, path);
      } catch (error) {
        toasts.showError(error);
      }
    }
    this.tree.selectedKeys.clear();
    if (folder && moved) this.tree.open.add(folder);
    await this.refresh();
    if (moved) toasts.show(words.moved(moved));
  }

  /** Change flags or tags of every file among some things, also in folders. */
  async changeAll(things: readonly Thing[], change: (file: FileView) => Metadata): Promise<void> {
    const files = await this.#filesIn(things);
    try {
      for (const file of files) this.tree.put(await requests.changeMetadata(file, change(file)));
      toasts.show(words.changed(files.length));
    } catch (error) {
      toasts.showError(error);
    }
    void this.indexProgress.watch();
  }

  /** Give a thing another path, and return how many files have moved with it. */
  async #send(thing: Thing, path: string): Promise<number> {
    if (thing.kind === 'folder') return requests.moveFolder(this.projectId, thing.path, path);
    await requests.moveFile(thing.file, path);
    return 1;
  }

  async #filesIn(things: readonly Thing[]): Promise<FileView[]> {
    const found: FileView[] = [];
    for (const thing of things) {
      if (thing.kind === 'file') found.push(thing.file);
      else if (thing.folder.files > BULK_CHANGE_MAX_FILES) toasts.show(words.tooMany);
      else found.push(...(await requests.listAll(this.projectId, thing.path)).files);
    }
    return found;
  }
}

function deletedText(things: readonly Thing[]): string {
  return things[0] && things.length === 1 ? words.deleted(things[0].name) : words.deletedMany(things.length);
}
