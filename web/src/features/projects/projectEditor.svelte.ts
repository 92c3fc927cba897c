/** One project being edited: what is typed is saved field by field, one request at a time. */
import type { Project } from '$api/client';
import {
  changedFields,
  projectFields,
  rebaseEdits,
  toChangeRequest,
  type ProjectFields,
} from './projectFields';
import { projects } from './projects.svelte';
import { words } from './texts';

export type SaveState = 'saved' | 'dirty' | 'saving' | 'failed';

export class ProjectEditor {
  project = $state.raw<Project | null>(null);
  form = $state<ProjectFields | null>(null);
  problem = $state<string | null>(null);
  #busy = $state(false);
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
  }

  get state(): SaveState {
    if (this.#busy) return 'saving';
    if (this.problem) return 'failed';
    return this.#edited && Object.keys(this.#edited).length > 0 ? 'dirty' : 'saved';
  }

  /** Take over what was changed elsewhere, except where the person has written meanwhile. */
  mergeFresh(fresh: Project): void {
    if (this.#busy || !this.project || fresh === this.project) return;
    const written = $state.snapshot(this.form) as ProjectFields;
    this.form = rebaseEdits(written, projectFields(this.project), projectFields(fresh));
    this.project = fresh;
  }

  async load(): Promise<void> {
    try {
      this.#show(await projects.get(this.#id));
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  /** Save what was changed, and then what was changed meanwhile. */
  async save(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    this.problem = null;
    try {
      while (this.#edited && Object.keys(this.#edited).length > 0) await this.#send(this.#edited);
    } catch (error) {
      this.problem = (error as Error).message;
    } finally {
      this.#busy = false;
    }
  }

  async #send(edited: Partial<ProjectFields>): Promise<void> {
    if (edited.name !== undefined && !edited.name.trim()) throw new Error(words.nameNeeded);
    const sent = $state.snapshot(this.form) as ProjectFields;
    const latest = await projects.get(this.#id);
    const fresh = await projects.change(this.#id, toChangeRequest(edited, latest));
    const written = $state.snapshot(this.form) as ProjectFields;
    this.project = fresh;
    this.form = rebaseEdits(written, sent, projectFields(fresh));
  }

  get #edited(): Partial<ProjectFields> | null {
    return this.form && this.project
      ? changedFields($state.snapshot(this.form) as ProjectFields, projectFields(this.project))
      : null;
  }

  #show(project: Project): void {
    this.project = project;
    this.form = projectFields(project);
    this.problem = null;
  }
}
