import { afterEach, expect, it, vi } from 'vitest';
import { api } from '$api/client';
import { listEntities } from './requests';

const PAGES: Readonly<Record<string, unknown>> = {
  '': { entities: [{ id: 'c' }, { id: 'b' }], next: 'b' },
  b: { entities: [{ id: 'a' }], next: null },
};

afterEach(() => vi.restoreAllMocks());

it('fetches what was mentioned first too, however much came after it', async () => {
  vi.spyOn(api, 'GET').mockImplementation(((_: string, asked: { params: { query: { after: string } } }) =>
    Promise.resolve({
      data: PAGES[asked.params.query.after],
      response: new Response(),
    })) as unknown as typeof api.GET);
  const { entities } = await listEntities('cnv_1');
  expect(entities.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
});
