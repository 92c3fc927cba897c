// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Model } from '$features/models/catalogue.svelte';

vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no connection')));
const { TableState } = await import('./tableState.svelte');
const { catalogue } = await import('$features/models/catalogue.svelte');

const model = (id: string, connection: string) => ({ id, connection, name: id, tier: 'smart' });
const seats = (...models: string[]) => models.map((id) => ({ model: id, effort: null }));

describe('a table without the server', () => {
  beforeEach(() => {
    localStorage.setItem('tertulia.last.models', JSON.stringify([model('larch', 'openai')]));
  });

  it('guesses nobody in a conversation: those who were asked before are asked again', async () => {
    const seating = new TableState('cnv_1', null);
    await seating.open();
    expect([seating.seats, seating.repeatsLastTable]).toEqual([[], true]);
  });

  it('begins a new conversation with the models that were last seen', async () => {
    const seating = new TableState(null, null);
    await seating.open();
    expect([seating.seats, seating.repeatsLastTable]).toEqual([[{ model: 'larch', effort: null }], false]);
  });
});

describe('a table of models that the page does not know', () => {
  const asked = seats('larch', 'oak');

  function know(...models: object[]): void {
    catalogue.models = models as Model[];
    catalogue.loaded = true;
  }
  /** What the server lists when it is asked again. */
  function list(...models: object[]): void {
    vi.spyOn(catalogue, 'reload').mockImplementationOnce(() => Promise.resolve(know(...models)));
  }

  beforeEach(() => {
    localStorage.clear();
    know(model('pine', 'openai'));
  });

  it('is seated once the list was fetched again', async () => {
    list(model('pine', 'openai'), model('larch', 'openai'), model('oak', 'openai'));
    const seating = new TableState('cnv_1', null, () => asked);
    const opening = seating.open();
    expect([seating.seats, seating.repeatsLastTable]).toEqual([[], true]);
    await opening;
    expect([seating.seats, seating.repeatsLastTable]).toEqual([asked, false]);
    expect(seating.unavailable).toEqual([]);
  });

  it('is seated without those who are not there, and names them', async () => {
    list(model('pine', 'openai'), model('oak', 'openai'));
    const seating = new TableState('cnv_1', null, () => asked);
    await seating.open();
    expect([seating.seats, seating.unavailable]).toEqual([seats('oak'), ['larch']]);
    seating.change(seats('pine'));
    expect(seating.unavailable).toEqual([]);
  });

  it('gives way to the best model where none is there, and names them', async () => {
    list(model('pine', 'openai'));
    const seating = new TableState('cnv_1', null, () => asked);
    await seating.open();
    expect([seating.seats, seating.unavailable]).toEqual([seats('pine'), ['larch', 'oak']]);
  });

  it('is asked again as it was where the list cannot be fetched', async () => {
    const seating = new TableState('cnv_1', null, () => asked);
    await seating.open();
    expect([seating.seats, seating.repeatsLastTable, seating.unavailable]).toEqual([[], true, []]);
  });

  it('is seated in a new conversation where somebody chose it', async () => {
    localStorage.setItem('tertulia.nobody.chosen', JSON.stringify(asked));
    list(model('pine', 'openai'), model('larch', 'openai'), model('oak', 'openai'));
    const seating = new TableState(null, null);
    await seating.open();
    expect([seating.seats, seating.isSuggested]).toEqual([asked, false]);
  });

  it('is not taken for gone where it was kept for the conversation', async () => {
    localStorage.setItem('tertulia.nobody.table.cnv_1', JSON.stringify(asked));
    list(model('larch', 'openai'), model('oak', 'openai'));
    const seating = new TableState('cnv_1', null, () => seats('pine'));
    await seating.open();
    expect([seating.seats, catalogue.find('larch')?.id]).toEqual([asked, 'larch']);
  });
});

describe('a table that nobody chose', () => {
  const BUILT_IN = [model('librarian', 'builtin'), model('tiny', 'builtin')];

  /** Let the server offer these models from now on. */
  function offer(...models: object[]): void {
    catalogue.models = models as Model[];
    catalogue.loaded = true;
  }
  async function opened(conversation: string | null = null, project: string | null = null) {
    const seating = new TableState(conversation, project);
    await seating.open();
    return seating;
  }
  /** Ask in a new conversation with the table as it stands. */
  async function askOnce(project: string | null = null): Promise<void> {
    const seating = await opened(null, project);
    seating.storeFor(null);
    seating.storeFor('cnv_1');
  }

  beforeEach(() => localStorage.clear());

  it.each([null, 'prj_1'])('gives way to what is connected later (project: %s)', async (project) => {
    offer(...BUILT_IN);
    await askOnce(project);
    offer(...BUILT_IN, model('larch', 'openai'));
    const seating = await opened(null, project);
    expect([seating.seats, seating.isSuggested]).toEqual([seats('larch'), true]);
  });

  it('stays in the conversation that was begun with it', async () => {
    offer(...BUILT_IN);
    await askOnce();
    offer(...BUILT_IN, model('larch', 'openai'));
    expect((await opened('cnv_1')).seats).toEqual(seats('librarian', 'tiny'));
  });

  it('does not come back from what an earlier version had kept', async () => {
    localStorage.setItem('tertulia.nobody.last', JSON.stringify(seats('tiny')));
    localStorage.setItem('tertulia.nobody.last.prj_1', JSON.stringify(seats('tiny')));
    offer(...BUILT_IN, model('larch', 'openai'));
    expect((await opened(null, 'prj_1')).seats).toEqual(seats('larch'));
    expect(Object.keys(localStorage).filter((key) => key.includes('nobody.last'))).toEqual([]);
  });

  it('is told from one that somebody chose, which is remembered', async () => {
    offer(...BUILT_IN);
    const chosen = await opened();
    chosen.change(seats('tiny'));
    expect(chosen.isSuggested).toBe(false);
    offer(...BUILT_IN, model('larch', 'openai'));
    const seating = await opened();
    expect([seating.seats, seating.isSuggested]).toEqual([seats('tiny'), false]);
  });

  /** Let somebody connect this elsewhere: the page knows of it only when it asks. */
  function connectElsewhere(...models: object[]): void {
    vi.spyOn(catalogue, 'revalidate').mockImplementationOnce(() => {
      catalogue.models = models as Model[];
      return Promise.resolve();
    });
  }

  it('gives way to what was connected elsewhere, when the page is looked at again', async () => {
    offer(...BUILT_IN);
    const seating = await opened();
    connectElsewhere(...BUILT_IN, model('larch', 'openai'));
    await seating.refreshSuggestion();
    expect([seating.seats, seating.isSuggested]).toEqual([seats('larch'), true]);
  });

  it('stays as somebody chose it, whatever is connected elsewhere', async () => {
    offer(...BUILT_IN);
    const seating = await opened();
    seating.change(seats('tiny'));
    connectElsewhere(...BUILT_IN, model('larch', 'openai'));
    await seating.refreshSuggestion();
    expect(seating.seats).toEqual(seats('tiny'));
  });
});
