/** The phases of a project: made, changed, put in order, deleted with a way back. */
import { offerUndo } from '$features/deletions/undo';
import { toasts } from '$ui/toasts.svelte';
import {
  changePhase,
  createPhase,
  deletePhase,
  listPhases,
  movePhase,
  type Phase,
  type PhaseChange,
} from './requests';
import { attempt } from './taskActions';
import { placeAfter, stepAfter } from './taskOrder';
import { words } from './texts';

export class PhaseList {
  items = $state.raw<readonly Phase[]>([]);
  loaded = $state(false);
  problem = $state('');
  announcement = $state('');
  readonly #projectId: string;
  /** Which request is the latest: an answer to an earlier one is dropped. */
  #asked = 0;

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  async load(): Promise<void> {
    const asked = ++this.#asked;
    try {
      const items = await listPhases(this.#projectId);
      if (asked !== this.#asked) return;
      this.items = items;
      this.loaded = true;
      this.problem = '';
    } catch (error) {
      if (asked === this.#asked) this.problem = (error as Error).message;
    }
  }

  async add(values: PhaseChange & { name: string }): Promise<boolean> {
    const made = await attempt(() => createPhase(this.#projectId, values));
    await this.load();
    return made !== null;
  }

  async change(phase: Phase, values: PhaseChange): Promise<boolean> {
    const changed = await attempt(() => changePhase(phase, values));
    await this.load();
    return changed !== null;
  }

  async remove(phase: Phase): Promise<void> {
    const deletion = await attempt(() => deletePhase(phase));
    if (deletion) {
      const onrestored = () => this.load();
      offerUndo(deletion, { text: words.phaseDeleted, label: words.undo, onrestored });
    }
    await this.load();
  }

  /** Move a phase a place up or down. */
  async step(phase: Phase, steps: number): Promise<void> {
    const after = stepAfter(this.items, phase.id, steps);
    if (after === undefined) return;
    this.#asked++;
    this.items = placeAfter(this.items, phase, after);
    const place = this.items.findIndex(({ id }) => id === phase.id) + 1;
    try {
      await movePhase(phase, after);
      this.announcement = words.phaseMoved(phase.name, place, this.items.length);
    } catch (error) {
      toasts.showError(error);
    }
    await this.load();
  }
}
