/** One project being edited: what is typed is saved field by field, one request at a time. */
import type { Project } from '$api/client';
import { edits, formOf, rebased, toChange, type Form } from './form';
import { projects } from './projects.svelte';
import { words } from './texts';

export type Saving = 'saved' | 'dirty' | 'saving' | 'failed';

export class ProjectEditor {
  project = $state.raw<Project | null>(null);
  form = $state<Form | null>(null);
  problem = $state<string | null>(null);
  #busy = $state(false);
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
  }

  get state(): Saving {
    if (this.#busy) return 'saving';
    if (this.problem) return 'failed';
    return this.#edited && Object.keys(this.#edited).length > 0 ? 'dirty' : 'saved';
  }

  /** Take over what was changed elsewhere, except where the person has written meanwhile. */
  take(fresh: Project): void {
    if (this.#busy || !this.project || fresh === this.project) return;
    const written = $state.snapshot(this.form) as Form;
    this.form = rebased(written, formOf(this.project), formOf(fresh));
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

  async #send(edited: Partial<Form>): Promise<void> {
    if (edited.name !== undefined && !edited.name.trim()) throw new Error(words.nameNeeded);
    const sent = $state.snapshot(this.form) as Form;
    const latest = await projects.get(this.#id);
    const fresh = await projects.change(this.#id, toChange(edited, latest));
    const written = $state.snapshot(this.form) as Form;
    this.project = fresh;
    this.form = rebased(written, sent, formOf(fresh));
  }

  get #edited(): Partial<Form> | null {
    return this.form && this.project ? edits($state.snapshot(this.form) as Form, formOf(this.project)) : null;
  }

  #show(project: Project): void {
    this.project = project;
    this.form = formOf(project);
    this.problem = null;
  }
}
