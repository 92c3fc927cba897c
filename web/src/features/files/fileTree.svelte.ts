/** The tree of a project's files, fetched level by level as folders are opened. */
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { ancestors } from './paths';
import { listLevel, type FileView } from './requests';
import {
  rowsBetween,
  fileKey,
  folderOfRow,
  isFileOrFolder,
  rowsOf,
  type FileRow,
  type FolderRow,
  type Row,
  type FolderContents,
} from './treeRows';

const FOLDER_PAGE_SIZE = 500;
const FOLDER_PAGE_MAX_SIZE = 1000;

export class FileTree {
  readonly contents = new SvelteMap<string, FolderContents>();
  readonly open = new SvelteSet<string>();
  readonly selectedKeys = new SvelteSet<string>();
  /** The key of the row that the keyboard is at. */
  active = $state('');
  tag = $state('');
  readonly rows: readonly Row[] = $derived(rowsOf(this.contents, this.open));
  readonly activeIndex = $derived(this.rows.findIndex((row) => row.key === this.active));
  /** Where new files go. */
  readonly folder = $derived(folderOfRow(this.rows[this.activeIndex]));
  readonly selectedRows: readonly (FolderRow | FileRow)[] = $derived(
    this.rows.filter(isFileOrFolder).filter((row) => this.selectedKeys.has(row.key)),
  );
  readonly #projectId: string;
  readonly #asked: Record<string, boolean> = {};

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  get isEmpty(): boolean {
    const top = this.contents.get('');
    return top !== undefined && !top.problem && this.rows.length === 0;
  }

  /** Fetch what lies in a folder anew, as much of it as is here. */
  async load(folder = ''): Promise<void> {
    this.contents.set(folder, await this.#anew(folder));
  }

  async #anew(folder: string): Promise<FolderContents> {
    const wanted = Math.max(FOLDER_PAGE_SIZE, this.contents.get(folder)?.files.length ?? 0);
    let contents = await this.#fetch(folder, null, Math.min(FOLDER_PAGE_MAX_SIZE, wanted));
    while (contents.next !== null && contents.files.length < wanted)
      contents = await this.#fetch(folder, contents, FOLDER_PAGE_MAX_SIZE);
    return contents;
  }

  /** Fetch more of a folder. */
  async more(folder: string): Promise<void> {
    const contents = this.contents.get(folder);
    if (!contents || contents.next === null || this.#asked[folder]) return;
    this.#asked[folder] = true;
    this.contents.set(folder, await this.#fetch(folder, contents, FOLDER_PAGE_MAX_SIZE));
    this.#asked[folder] = false;
  }

  /** Fetch every open folder anew, and show them at once: what moved is seen in one place only. */
  async refresh(): Promise<void> {
    const closed = [...this.contents.keys()].filter((folder) => folder && !this.open.has(folder));
    for (const folder of closed) this.contents.delete(folder);
    const folders = ['', ...this.open];
    const fetched = await Promise.all(folders.map((folder) => this.#anew(folder)));
    for (const [place, contents] of fetched.entries()) this.contents.set(folders[place] ?? '', contents);
    for (const folder of this.open) this.#forgetIfGone(folder);
  }

  async toggle(folder: string, open = !this.open.has(folder)): Promise<void> {
    if (!open) this.open.delete(folder);
    else {
      this.open.add(folder);
      await this.load(folder);
    }
  }

  /** Open every folder that a file lies in and go to it. */
  async reveal(file: FileView): Promise<void> {
    const closed = ancestors(file.path).filter((folder) => !this.open.has(folder));
    await Promise.all(closed.map((folder) => this.toggle(folder, true)));
    this.active = fileKey(file.id);
  }

  async filter(tag: string): Promise<void> {
    this.tag = tag;
    this.selectedKeys.clear();
    await this.refresh();
  }

  /** Return a file, where it is among those fetched. */
  find(fileId: string): FileView | undefined {
    for (const contents of this.contents.values()) {
      const found = contents.files.find((file) => file.id === fileId);
      if (found) return found;
    }
    return undefined;
  }

  /** Show a file as it is now, without fetching its folder. */
  put(file: FileView): void {
    for (const [folder, contents] of this.contents)
      if (contents.files.some((other) => other.id === file.id))
        this.contents.set(folder, {
          ...contents,
          files: contents.files.map((other) => (other.id === file.id ? file : other)),
        });
  }

  select(key: string, on = !this.selectedKeys.has(key)): void {
    if (on) this.selectedKeys.add(key);
    else this.selectedKeys.delete(key);
  }

  /** Select everything from the row that one is at to another. */
  selectTo(key: string): void {
    for (const row of rowsBetween(this.rows, this.active, key))
      if (isFileOrFolder(row)) this.selectedKeys.add(row.key);
  }

  async #fetch(folder: string, before: FolderContents | null, limit: number): Promise<FolderContents> {
    try {
      const after = before?.next ?? '';
      const page = await listLevel(this.#projectId, { folder, tag: this.tag, after, limit });
      return {
        folders: before ? before.folders : (page.folders ?? []),
        files: before ? [...before.files, ...page.files] : page.files,
        next: page.next ?? null,
        problem: '',
      };
    } catch (error) {
      const problem = (error as Error).message;
      return before ? { ...before, problem } : { folders: [], files: [], next: null, problem };
    }
  }

  /** A folder is what lies in it: without files there is none. */
  #forgetIfGone(folder: string): void {
    const contents = this.contents.get(folder);
    if (!contents || contents.problem || contents.files.length || contents.folders.length) return;
    this.open.delete(folder);
    this.contents.delete(folder);
  }
}
