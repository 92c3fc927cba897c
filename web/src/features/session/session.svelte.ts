/** Who is signed in, and in which workspace. */
import { api, need, Problem, type Schemas } from '$api/client';

export type Me = Schemas['MeView'];

class Session {
  me = $state.raw<Me | null>(null);

  /** Ask the server who this is; null when nobody is signed in. */
  async load(): Promise<Me | null> {
    try {
      this.me = await need(api.GET('/api/me'));
    } catch (error) {
      // Only a refusal says that nobody is signed in; a server in trouble does not know.
      if (!(error instanceof Problem) || ![401, 403].includes(error.status)) throw error;
      this.me = null;
    }
    return this.me;
  }

  get canWrite(): boolean {
    return this.me !== null && this.me.role !== 'viewer';
  }

  get canManage(): boolean {
    return this.me !== null && ['owner', 'admin'].includes(this.me.role);
  }
}

export const session = new Session();

/** Tell whether the server still waits for its first owner. */
export async function isSetupNeeded(): Promise<boolean> {
  return (await need(api.GET('/api/setup'))).needed;
}
