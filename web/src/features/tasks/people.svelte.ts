/** The members of the workspace: who can do a task, and what they are called. */
import { session } from '$features/session/session.svelte';
import { listMembers, type Member } from './requests';
import { words } from './texts';

class People {
  list = $state.raw<readonly Member[]>([]);
  #asked: Promise<void> | null = null;

  /** Fetch them once; where that fails, the next call tries again. */
  load(): Promise<void> {
    this.#asked ??= this.#fetch();
    return this.#asked;
  }

  /** What a person is called here. */
  name(id: string): string {
    if (id === session.me?.user.id) return words.you;
    const member = this.list.find(({ user_id }) => user_id === id);
    return member?.name || member?.email || words.someone;
  }

  /** Whom a task can be given to. */
  get options(): { value: string; label: string }[] {
    return this.list
      .filter(({ status }) => status === 'active')
      .map(({ user_id }) => ({ value: user_id, label: this.name(user_id) }));
  }

  async #fetch(): Promise<void> {
    try {
      this.list = await listMembers();
    } catch {
      this.#asked = null;
    }
  }
}

export const people = new People();
