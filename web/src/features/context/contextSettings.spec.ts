// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { api } from '$api/client';
import { ContextSettings } from './contextSettings.svelte';
import type { ContextOverrides } from './settingsOptions';

const nothing: ContextOverrides = { strategy: null, level: null, max_tokens: null, tools: null };
const light = { ...nothing, level: 'light' } as ContextOverrides;
const short = { ...light, max_tokens: 6000 } as ContextOverrides;

/** What was sent, each with what answers it. */
let sent: { context: ContextOverrides; answer: (problem?: string) => Promise<void> }[];
let settings: ContextSettings;

beforeEach(async () => {
  sent = [];
  const conversation = { id: 'cnv_1', project_id: null, context: nothing };
  const page = { data: { conversation }, response: new Response() };
  vi.spyOn(api, 'GET').mockResolvedValue(page as never);
  vi.spyOn(api, 'PUT').mockImplementation(((_: string, { body }: { body: { context: ContextOverrides } }) => {
    return new Promise((resolve) => {
      const answer = async (problem = '') => {
        resolve(
          problem
            ? {
                error: { error: { code: 'invalid', message: problem } },
                response: new Response(null, { status: 422 }),
              }
            : { data: {}, response: new Response() },
        );
        await new Promise((done) => setTimeout(done));
      };
      sent.push({ context: body.context, answer });
    });
  }) as never);
  settings = new ContextSettings('cnv_1');
  await settings.load();
});
afterEach(() => vi.restoreAllMocks());

it('sends what was chosen last once the request before it was answered, and only then says that it is saved', async () => {
  void settings.save(light);
  void settings.save(short);
  expect(sent.map(({ context }) => context)).toEqual([light]);
  await sent[0]?.answer();
  expect(settings.saved).toBe(false);
  expect(sent.map(({ context }) => context)).toEqual([light, short]);
  await sent[1]?.answer();
  expect(settings.saved).toBe(true);
});

it('goes back to what the server has where that refuses', async () => {
  void settings.save(light);
  await sent[0]?.answer();
  void settings.save(short);
  await sent[1]?.answer('Too few tokens.');
  expect(settings.overrides).toEqual(light);
  expect(settings.problem).toBe('Too few tokens.');
  expect(settings.saved).toBe(false);
});
