/** Who is in the workspace, and what an admin does about it. */
import { api, unwrap, type Schemas } from '$api/client';
import { Resource } from '$ui/resource.svelte';
import { toasts } from '$ui/toasts.svelte';

export type Member = Schemas['MemberView'];

const at = (member: Member) => ({ params: { path: { user_id: member.user_id } } });

export class Members extends Resource<Member[]> {
  constructor() {
    super(async () => (await unwrap(api.GET('/api/members'))).items);
  }

  /** Change a role or a status; where it is refused the list shows again what is true. */
  async change(member: Member, body: Schemas['MemberChange']): Promise<void> {
    await this.#do(api.PATCH('/api/members/{user_id}', { ...at(member), body }));
  }

  async remove(member: Member): Promise<void> {
    await this.#do(api.DELETE('/api/members/{user_id}', at(member)));
  }

  async deleteAccount(member: Member): Promise<void> {
    await this.#do(api.DELETE('/api/members/{user_id}/account', at(member)));
  }

  /** Return a link with which a member chooses a new password; empty when it was refused. */
  async createResetLink(member: Member): Promise<string> {
    try {
      const made = await unwrap(api.POST('/api/members/{user_id}/reset-link', at(member)));
      return `${location.origin}/reset#${made.token}`;
    } catch (error) {
      toasts.showError(error);
      return '';
    }
  }

  async #do(request: Parameters<typeof unwrap>[0]): Promise<void> {
    await unwrap(request).catch((error: unknown) => toasts.showError(error));
    await this.load();
  }
}
