/** The person's own profile: whether they want one, what it says, and what they are writing into it. */
import { live } from '$live/connection.svelte';
import { toasts } from '$ui/toasts.svelte';
import {
  hasSameText,
  toProfileChange,
  toProfileForm,
  type ProfileForm,
  type UserProfile,
} from './profileForm';
import { changeProfile, getConsent, getProfile, setConsent } from './requests';
import { words } from './texts';

export class UserProfileEditor {
  profile = $state.raw<UserProfile | null>(null);
  since = $state<string | null>(null);
  form = $state<ProfileForm | null>(null);
  loaded = $state(false);
  problem = $state('');
  isSaving = $state(false);

  get isChanged(): boolean {
    return (
      this.profile !== null && this.form !== null && !hasSameText(toProfileForm(this.profile), this.form)
    );
  }

  /** Fetch it and follow the feed until the returned function is called. */
  open(): () => void {
    void this.load();
    return live.subscribe(({ type }) => {
      if (type === 'profile.changed' || type === 'reset') void this.load();
    });
  }

  async load(): Promise<void> {
    try {
      const [{ profile }, { since }] = await Promise.all([getProfile(), getConsent()]);
      this.#show(profile, since);
      this.problem = '';
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  /** Agree to having a profile, or have it deleted. */
  async setConsent(consented: boolean): Promise<void> {
    try {
      await setConsent(consented);
      if (!consented) toasts.show(words.offDone);
      await this.load();
    } catch (error) {
      toasts.showError(error);
    }
  }

  async save(): Promise<void> {
    if (!this.form || this.isSaving) return;
    this.isSaving = true;
    try {
      const saved = await changeProfile(toProfileChange($state.snapshot(this.form)));
      this.form = null;
      this.#show(saved, this.since);
      toasts.show(words.updated);
    } catch (error) {
      toasts.showError(error);
    } finally {
      this.isSaving = false;
    }
  }

  /** Show a profile, except where the person has written meanwhile. */
  #show(profile: UserProfile | null, since: string | null): void {
    const isKept = profile !== null && this.isChanged;
    if (!isKept) this.form = profile && toProfileForm(profile);
    Object.assign(this, { profile, since, loaded: true });
  }
}
