/** Who is signed in, and in which workspace. */
import { api, unwrap, ApiError, type Schemas } from '$api/client';
import { live } from '$live/connection.svelte';
import { clearOfflineCache, writeOfflineCache, readOfflineCache } from './offlineCache';
import { browserTimeZone } from './timeZones';

export type Me = Schemas['MeView'];

/** So long the server is waited for where the app can start with who was here last. */
const SESSION_WAIT_MAX_MS = 4_000;

class Session {
  me = $state.raw<Me | null>(null);
  /** The server could not be asked: this is who was here last. */
  isRemembered = $state(false);

  /** Ask the server who this is, or go by who was here last; null when nobody is signed in. */
  async load(): Promise<Me | null> {
    try {
      this.me = await this.#ask();
      this.isRemembered = false;
      if (this.me) this.#remember(this.me);
      else clearOfflineCache();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.me = this.#without(error);
    }
    return this.me;
  }

  /** Ask the server; at the start, no longer than whoever looks at an empty page should wait. */
  async #ask(): Promise<Me | null> {
    const asking = new AbortController();
    const canStartWithout = this.me === null && isMe(readOfflineCache('session'));
    const timer = canStartWithout ? setTimeout(() => asking.abort(), SESSION_WAIT_MAX_MS) : undefined;
    try {
      return (await unwrap(api.GET('/api/session', { signal: asking.signal }))).me;
    } finally {
      clearTimeout(timer);
    }
  }

  #remember(me: Me): void {
    writeOfflineCache('session', me);
    if (me.user.time_zone === null) void this.#reportTimeZone();
  }

  /** Say where this browser is, as long as nobody has said where the person is. */
  async #reportTimeZone(): Promise<void> {
    const { data } = await api.PATCH('/api/me', { body: { time_zone: browserTimeZone() } });
    if (data && this.me?.user.id === data.user.id) this.me = data;
  }

  #without(problem: ApiError): Me | null {
    const last = this.me ?? readOfflineCache('session');
    if (problem.isTransient && isMe(last)) {
      if (!this.me) live.online = false;
      this.isRemembered = true;
      return last;
    }
    // Only a refusal says that nobody is signed in; a server in trouble does not know.
    if (![401, 403].includes(problem.status)) throw problem;
    clearOfflineCache();
    return null;
  }

  get canWrite(): boolean {
    return this.me !== null && this.me.role !== 'viewer';
  }

  get canManage(): boolean {
    return this.me !== null && ['owner', 'admin'].includes(this.me.role);
  }
}

export const session = new Session();

/** Tell whether something that was stored says who was here; it is shown, never trusted. */
function isMe(value: unknown): value is Me {
  const me = value as Partial<Me> | null;
  return Boolean(me?.user?.id && me.workspace?.id && me.role && Array.isArray(me.workspaces));
}

/** Tell whether the server still waits for its first owner. */
export async function isSetupNeeded(): Promise<boolean> {
  return (await unwrap(api.GET('/api/setup'))).needed;
}
