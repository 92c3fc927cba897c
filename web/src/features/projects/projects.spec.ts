// @vitest-environment jsdom
import { api, type ConversationEvent, type Project } from '$api/client';
import { live } from '$live/connection.svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { projects } from './projects.svelte';

const named = (id: string, name: string) => ({ id, name, status: 'active', is_default: false }) as Project;
const ok = (data: unknown) => ({ data, response: new Response() });

describe('the projects', () => {
  let there: Project[] = [];
  let failures = 0;
  let tell: (event: ConversationEvent) => void = () => undefined;
  let begin: () => void = () => undefined;
  let close: () => void = () => undefined;
  const names = () => projects.list.map(({ name }) => name);

  beforeEach(() => {
    vi.useFakeTimers();
    there = [named('prj_1', 'Garden')];
    failures = 0;
    vi.spyOn(live, 'subscribe').mockImplementation((listener) => {
      tell = listener;
      return () => undefined;
    });
    vi.spyOn(live, 'onBegin').mockImplementation((fetch) => {
      begin = fetch;
      return () => undefined;
    });
    vi.spyOn(api, 'GET').mockImplementation(((path: string, asked: { params: { path?: object } }) => {
      if (failures-- > 0) return Promise.reject(new TypeError('Failed to fetch'));
      if (path === '/api/projects') return Promise.resolve(ok({ projects: there, next: null }));
      const wanted = Object.values(asked.params.path ?? {})[0];
      return Promise.resolve(ok(there.find(({ id }) => id === wanted)));
    }) as unknown as typeof api.GET);
  });
  afterEach(() => {
    close();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  const open = async () => {
    close = projects.open();
    begin();
    await vi.advanceTimersByTimeAsync(0);
  };

  it('are fetched again by themselves where the server could not be reached', async () => {
    failures = 2;
    await open();
    expect(projects.problem).toContain('cannot be reached');
    await vi.advanceTimersByTimeAsync(3_000);
    expect([projects.problem, names()]).toEqual([null, ['Garden']]);
  });

  it('follow what is made, renamed and deleted elsewhere', async () => {
    await open();
    there = [named('prj_2', 'Boat'), named('prj_1', 'Garden house')];
    tell({ type: 'project.changed', project_id: 'prj_2' });
    tell({ type: 'project.changed', project_id: 'prj_1' });
    await vi.advanceTimersByTimeAsync(0);
    expect(names()).toEqual(['Boat', 'Garden house']);
    tell({ type: 'project.deleted', project_id: 'prj_2' });
    expect(names()).toEqual(['Garden house']);
  });

  it('are fetched anew when the feed begins anew, or where one cannot be had', async () => {
    await open();
    there = [named('prj_3', 'Sea')];
    begin();
    await vi.advanceTimersByTimeAsync(0);
    expect(names()).toEqual(['Sea']);
    there = [named('prj_4', 'Hill')];
    failures = 1;
    tell({ type: 'project.changed', project_id: 'prj_4' });
    await vi.advanceTimersByTimeAsync(0);
    expect(names()).toEqual(['Hill']);
  });

  it('keep what was made while an older list was on its way', async () => {
    await open();
    const older = ok({ projects: there, next: null });
    vi.mocked(api.GET).mockReturnValueOnce(
      new Promise((resolve) => setTimeout(() => resolve(older), 50)) as unknown as ReturnType<typeof api.GET>,
    );
    begin();
    there = [named('prj_2', 'Boat'), ...there];
    tell({ type: 'project.changed', project_id: 'prj_2' });
    await vi.advanceTimersByTimeAsync(50);
    expect(names()).toEqual(['Boat', 'Garden']);
  });

  it('take the latest list, whichever answers last', async () => {
    await open();
    const older = ok({ projects: [named('prj_1', 'Garden')], next: null });
    vi.mocked(api.GET).mockReturnValueOnce(
      new Promise((resolve) => setTimeout(() => resolve(older), 50)) as unknown as ReturnType<typeof api.GET>,
    );
    begin();
    there = [named('prj_2', 'Boat'), ...there];
    begin();
    await vi.advanceTimersByTimeAsync(50);
    expect(names()).toEqual(['Boat', 'Garden']);
  });

  it('are shown although somebody changes them all the time', async () => {
    await open();
    const asked = vi.mocked(api.GET).mock.calls.length;
    const older = ok({ projects: [named('prj_1', 'Garden'), named('prj_9', 'Gone')], next: null });
    vi.mocked(api.GET).mockReturnValueOnce(
      new Promise((resolve) => setTimeout(() => resolve(older), 50)) as unknown as ReturnType<typeof api.GET>,
    );
    begin();
    for (let change = 0; change < 5; change++) {
      there = [named('prj_1', `Garden ${change}`)];
      tell({ type: 'project.changed', project_id: 'prj_1' });
      tell({ type: 'project.deleted', project_id: 'prj_9' });
      await vi.advanceTimersByTimeAsync(10);
    }
    expect([projects.loaded, names()]).toEqual([true, ['Garden 4']]);
    expect(vi.mocked(api.GET).mock.calls.length - asked).toBe(6);
  });
});
