/** What the server is asked about memories, profiles and preferences. */
import { api, unwrap, type Schemas } from '$api/client';
import type { MemoryQuery } from './memoryFilter';
import { words } from './texts';

export type Memory = Schemas['MemoryView'];
export type MemoryChange = Partial<Schemas['MemoryChange']>;
export type NewMemory = Pick<Schemas['NewMemoryBody'], 'type' | 'content'> &
  Partial<Schemas['NewMemoryBody']>;
export type MemoryPreferences = Schemas['MemoryPreferencesView'];
export type ProfileChange = Schemas['ProfileChange'];

const of = (id: string) => ({ params: { path: { memory_id: id } } });

export const listMemories = (query: MemoryQuery & { after?: string; limit?: number }, signal?: AbortSignal) =>
  unwrap(api.GET('/api/memories', { params: { query }, ...(signal ? { signal } : {}) }));

export const getMemory = (id: string, signal?: AbortSignal) =>
  unwrap(api.GET('/api/memories/{memory_id}', { ...of(id), ...(signal ? { signal } : {}) }));

/** What is left out has a default that the generated type does not know to be optional. */
export const createMemory = (body: NewMemory) =>
  unwrap(api.POST('/api/memories', { body: body as Schemas['NewMemoryBody'] }));

/** What of some values is not so already: the rest may have been changed elsewhere. */
const changedValues = (memory: Memory, values: MemoryChange): MemoryChange =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => memory[name as keyof Memory] !== value),
  );

export const changeMemory = (memory: Memory, values: MemoryChange) =>
  unwrap(
    api.PUT('/api/memories/{memory_id}', {
      ...of(memory.id),
      body: changedValues(memory, values) as Schemas['MemoryChange'],
    }),
  );

/** Delete a memory; it can be restored for a short time. */
export const deleteMemory = (id: string) => unwrap(api.POST('/api/memories/{memory_id}/deletion', of(id)));

/** Say that a memory still holds. */
export const confirmMemory = (id: string) => unwrap(api.POST('/api/memories/{memory_id}/confirm', of(id)));

export const undoSupersession = (id: string) => unwrap(api.POST('/api/memories/{memory_id}/undo', of(id)));

export const approveMemories = (ids: string[]) =>
  unwrap(api.POST('/api/memories/approve', { body: { ids } }));

export const rejectMemories = (ids: string[]) => unwrap(api.POST('/api/memories/reject', { body: { ids } }));

export const extractMemories = (conversation_id: string) =>
  unwrap(api.POST('/api/memories/extract', { body: { conversation_id } }));

export const getPreferences = () => unwrap(api.GET('/api/memories/preferences'));

export const setPreferences = (body: Partial<MemoryPreferences>) =>
  unwrap(api.PUT('/api/memories/preferences', { body: body as MemoryPreferences }));

export const changeProfile = (body: ProfileChange) => unwrap(api.PUT('/api/memory/profile', { body }));

export const getProfile = () => unwrap(api.GET('/api/memory/profile'));

export const getConsent = () => unwrap(api.GET('/api/memory/consent'));

export const setConsent = (consented: boolean) =>
  unwrap(api.PUT('/api/memory/consent', { body: { consented } }));

export type PreviewPlan = Pick<Schemas['PlanView'], 'sections' | 'left_out'>;

/** Fetch every word that a model would be shown if a conversation began now. */
export async function previewPrompt(model: string, project_id: string | null): Promise<PreviewPlan> {
  const body = { models: [model], project_id, texts: true };
  const { lanes } = await unwrap(api.POST('/api/context/preview', { body: body as Schemas['PreviewBody'] }));
  const [lane] = lanes;
  if (!lane?.plan) throw new Error(lane?.problem?.message ?? words.previewNoModel);
  return lane.plan;
}

/** Fetch one message of a conversation; undefined where it is no longer there. */
export async function fetchMessage(conversationId: string, messageId: string, signal?: AbortSignal) {
  const path = { conversation_id: conversationId };
  // Messages are listed by id: what comes after the beginning of an id is the message itself.
  const query = { after: messageId.slice(0, -1), limit: 40 };
  const page = await unwrap(
    api.GET('/api/conversations/{conversation_id}/messages', {
      params: { path, query },
      ...(signal ? { signal } : {}),
    }),
  );
  return page.messages.find(({ id }) => id === messageId);
}

export type Entity = Schemas['EntityView'];

/** The server gives no more at once. */
const ENTITY_PAGE_MAX = 200;

/** All names and things that were mentioned on the branch that is shown. */
export async function listEntities(conversation_id: string): Promise<{ entities: Entity[] }> {
  const entities: Entity[] = [];
  let after: string | null = '';
  while (after !== null) {
    const page: Schemas['EntityPage'] = await unwrap(
      api.GET('/api/conversations/{conversation_id}/entities', {
        params: { path: { conversation_id }, query: { after, limit: ENTITY_PAGE_MAX } },
      }),
    );
    entities.push(...page.entities);
    after = page.next ?? null;
  }
  return { entities };
}

/** Have an entity say what a person writes, whatever is found later. */
export const changeEntity = (conversation_id: string, entity_id: string, body: Schemas['EntityChange']) =>
  unwrap(
    api.PUT('/api/conversations/{conversation_id}/entities/{entity_id}', {
      params: { path: { conversation_id, entity_id } },
      body,
    }),
  );

/** Hide an entity from its conversation for good. */
export const hideEntity = (conversation_id: string, entity_id: string) =>
  unwrap(
    api.DELETE('/api/conversations/{conversation_id}/entities/{entity_id}', {
      params: { path: { conversation_id, entity_id } },
    }),
  );
