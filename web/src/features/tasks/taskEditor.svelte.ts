/** One task that is shown and edited: each field is saved by itself, words once nobody types. */
import { ApiError } from '$api/client';
import { toasts } from '$ui/toasts.svelte';
import {
  changeTask,
  getTask,
  listHistory,
  type Task,
  type TaskChange,
  type TaskHistoryEntry,
} from './requests';
import { changedFields } from './taskChange';
import { words } from './texts';

const SAVING_DELAY_MS = 700;
type Draft = Partial<Pick<Task, 'title' | 'description'>>;

export class TaskEditor {
  task = $state.raw<Task | null>(null);
  problem = $state('');
  isGone = $state(false);
  state = $state<'saved' | 'unsaved' | 'saving'>('saved');
  history = $state.raw<readonly TaskHistoryEntry[]>([]);
  hasMoreHistory = $state(false);
  /** How often something was refused: fields that show it are drawn anew. */
  refusals = $state(0);
  /** What is written and not yet saved. */
  draft = $state.raw<Draft>({});
  readonly id: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #nextHistory: string | null = null;

  constructor(id: string) {
    this.id = id;
  }

  get title(): string {
    return this.draft.title ?? this.task?.title ?? '';
  }

  get description(): string {
    return this.draft.description ?? this.task?.description ?? '';
  }

  async load(): Promise<void> {
    try {
      this.task = await getTask(this.id);
      this.problem = '';
      this.isGone = false;
      await this.loadHistory();
    } catch (error) {
      this.isGone = error instanceof ApiError && error.isUnavailable;
      this.problem = this.isGone ? words.gone : (error as Error).message;
    }
  }

  async loadHistory(): Promise<void> {
    const page = await listHistory(this.id);
    this.history = page.changes;
    this.#keepNext(page.next ?? null);
  }

  async loadMoreHistory(): Promise<void> {
    if (this.#nextHistory === null) return;
    try {
      const page = await listHistory(this.id, this.#nextHistory);
      this.history = [...this.history, ...page.changes];
      this.#keepNext(page.next ?? null);
    } catch (error) {
      toasts.showError(error);
    }
  }

  /** Keep what is being written, and save it soon. */
  write(draft: Draft): void {
    this.draft = { ...this.draft, ...draft };
    this.state = 'unsaved';
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), SAVING_DELAY_MS);
  }

  /** Save what is written; a task without a title keeps the one that it has. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    const written = this.draft;
    const { title, ...others } = written;
    const isTitled = title !== undefined && title.trim() !== '';
    const isSaved = await this.save(isTitled ? { title: title.trim(), ...others } : others);
    if (isSaved && this.draft === written) this.draft = {};
  }

  /** Save fields; false where that is refused. */
  async save(change: TaskChange): Promise<boolean> {
    if (!this.task) return false;
    const changed = changedFields(this.task, change);
    if (Object.keys(changed).length === 0) {
      this.state = 'saved';
      return true;
    }
    this.state = 'saving';
    try {
      this.task = await changeTask(this.id, changed);
      this.state = 'saved';
      void this.loadHistory().catch(() => undefined);
      return true;
    } catch (error) {
      this.state = 'unsaved';
      toasts.showError(error);
      this.refusals++;
      return false;
    }
  }

  #keepNext(next: string | null): void {
    this.#nextHistory = next;
    this.hasMoreHistory = next !== null;
  }
}
