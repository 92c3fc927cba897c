// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$api/client';
import { live } from '$live/connection.svelte';
import { clearOfflineCache, readOfflineCache, writeOfflineCache } from './offlineCache';
import { session } from './session.svelte';
import { browserTimeZone } from './timeZones';

const ADA = { user: { id: 'usr_ada' }, workspace: { id: 'wsp_1' }, role: 'member', workspaces: [] };

describe('where somebody is', () => {
  const told = (timeZone: string | null) => ({ ...ADA, user: { ...ADA.user, time_zone: timeZone } });
  const answered = (me: object) => Promise.resolve({ data: me, response: new Response() }) as never;

  afterEach(() => {
    session.me = null;
    clearOfflineCache();
    vi.restoreAllMocks();
  });

  it('is what the browser says, while nobody has said otherwise', async () => {
    vi.spyOn(api, 'GET').mockReturnValue(answered({ me: told(null) }));
    const patch = vi.spyOn(api, 'PATCH').mockReturnValue(answered(told('Europe/Madrid')));
    await session.load();
    await vi.waitFor(() => expect(session.me?.user.time_zone).toBe('Europe/Madrid'));
    expect(patch).toHaveBeenCalledExactlyOnceWith('/api/me', { body: { time_zone: browserTimeZone() } });
  });

  it('stays as it was chosen', async () => {
    vi.spyOn(api, 'GET').mockReturnValue(answered({ me: told('Asia/Tokyo') }));
    const patch = vi.spyOn(api, 'PATCH');
    await session.load();
    expect(patch).not.toHaveBeenCalled();
  });
});

describe('a server that takes its time to say who this is', () => {
  let answer: (me: object | null) => void = () => undefined;

  beforeEach(() => {
    vi.useFakeTimers();
    session.me = null;
    vi.spyOn(api, 'GET').mockImplementation(
      ((_: string, { signal }: { signal: AbortSignal }) =>
        new Promise((resolve, reject) => {
          answer = (me) => resolve({ data: { me }, response: new Response() });
          signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
        })) as unknown as typeof api.GET,
    );
  });
  // The workers of these tests keep what is loaded from one file of them to the next.
  afterEach(() => {
    session.me = null;
    session.isRemembered = false;
    clearOfflineCache();
    live.online = true;
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('is not waited for where the app can start with who was here last', async () => {
    writeOfflineCache('session', ADA);
    const loading = session.load();
    await vi.advanceTimersByTimeAsync(4_000);
    expect([await loading, session.isRemembered, live.online]).toEqual([ADA, true, false]);
  });

  it('forgets who was here last once it says that nobody is signed in', async () => {
    writeOfflineCache('session', ADA);
    const loading = session.load();
    answer(null);
    expect([await loading, readOfflineCache('session')]).toEqual([null, null]);
  });

  it.each([
    ['where nobody is remembered', false],
    ['once the app has started', true],
  ])('is waited for %s', async (_, hasStarted) => {
    session.me = hasStarted ? (ADA as never) : null;
    if (hasStarted) writeOfflineCache('session', ADA);
    const loading = session.load();
    await vi.advanceTimersByTimeAsync(14_000);
    answer(ADA);
    expect([await loading, session.isRemembered, live.online]).toEqual([ADA, false, true]);
  });
});
