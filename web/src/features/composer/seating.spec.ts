// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest';

vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no connection')));
const { Seating } = await import('./seating.svelte');

describe('a table without the server', () => {
  beforeEach(() => {
    const model = { id: 'larch', connection: 'openai', tier: 'smart' };
    localStorage.setItem('tertulia.last.models', JSON.stringify([model]));
  });

  it('guesses nobody in a conversation: those who were asked before are asked again', async () => {
    const seating = new Seating('cnv_1', null);
    await seating.open();
    expect([seating.seats, seating.follows]).toEqual([[], true]);
  });

  it('begins a new conversation with the models that were last seen', async () => {
    const seating = new Seating(null, null);
    await seating.open();
    expect([seating.seats, seating.follows]).toEqual([[{ model: 'larch', effort: null }], false]);
  });
});
