// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$api/client';
import { session } from './session.svelte';
import { reloadIfSessionChanged } from './signOut';

const member = (user: string, workspace = 'wsp_1') =>
  ({ user: { id: user }, workspace: { id: workspace }, role: 'member', workspaces: [] }) as never;

describe('a session that changed elsewhere', () => {
  const place = { pathname: '/c/cnv_1', search: '', assign: vi.fn(), reload: vi.fn() };

  beforeEach(() => {
    vi.clearAllMocks();
    vi.stubGlobal('location', place);
    session.me = member('usr_ada');
  });
  afterEach(() => {
    session.me = null;
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  /** Let the server say who this is. */
  async function check(status: number, me?: object | null) {
    const data = me === undefined ? undefined : { me };
    vi.spyOn(api, 'GET').mockResolvedValueOnce({ data, response: { status } } as never);
    await reloadIfSessionChanged();
  }

  it('leads to the door when it has ended', async () => {
    await check(200, null);
    expect(place.assign).toHaveBeenCalledWith('/signin?next=%2Fc%2Fcnv_1');
    expect(place.reload).not.toHaveBeenCalled();
  });

  it.each([
    ['of somebody else', member('usr_bob')],
    ['in another workspace', member('usr_ada', 'wsp_2')],
  ])('begins anew when it is %s', async (_, me) => {
    await check(200, me);
    expect(place.reload).toHaveBeenCalledOnce();
  });

  it('goes on when it is the same, or nobody can tell', async () => {
    await check(200, member('usr_ada'));
    await check(503);
    expect([place.assign, place.reload].flatMap((leave) => leave.mock.calls)).toEqual([]);
  });
});
