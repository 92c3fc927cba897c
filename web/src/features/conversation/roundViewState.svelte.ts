/** How a person looks at one round: which lanes are folded, which attempts are shown, what is being edited. */
import { SvelteMap, SvelteSet } from 'svelte/reactivity';

export class RoundViewState {
  readonly folded = new SvelteSet<string>();
  /** The attempt that is shown, by lane; the newest where none is named. */
  readonly shownAttempts = new SvelteMap<string, string>();
  /** The question as it is being worded anew; null when it is not. */
  editedQuestion = $state<string | null>(null);

  /** Show one lane alone. */
  focus(lane: string, lanes: readonly string[]): void {
    for (const name of lanes) this.folded.add(name);
    this.folded.delete(lane);
  }
}
