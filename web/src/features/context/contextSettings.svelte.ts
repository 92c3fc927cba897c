/** How much a conversation's models are shown: read, and saved as soon as something is chosen. */
import { api, unwrap, type ConversationEvent, type Schemas } from '$api/client';
import { hasSameOverrides, type ContextOverrides } from './settingsOptions';

type ProjectSettings = Schemas['ProjectSettingsView'];

export class ContextSettings {
  overrides = $state.raw<ContextOverrides | null>(null);
  /** What the project says; null where there is none to ask. */
  project = $state.raw<ProjectSettings | null>(null);
  problem = $state('');
  saved = $state(false);
  readonly #id: string;
  /** What the server has, as far as is known here. */
  #stored: ContextOverrides | null = null;
  #isSaving = false;

  constructor(conversationId: string) {
    this.#id = conversationId;
  }

  get #path() {
    return { params: { path: { conversation_id: this.#id } } };
  }

  async load(): Promise<void> {
    this.problem = '';
    this.saved = false;
    try {
      const params = { ...this.#path.params, query: { limit: 1 } };
      const { conversation } = await unwrap(api.GET('/api/conversations/{conversation_id}', { params }));
      this.project = await settingsOf(conversation.project_id);
      this.overrides = this.#stored = conversation.context;
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  /** Save what was chosen; what the server refuses is taken back, with its sentence. */
  async save(wish: ContextOverrides): Promise<void> {
    if (this.overrides && hasSameOverrides(wish, this.overrides)) return;
    this.problem = '';
    this.saved = false;
    // What is chosen next builds on it, before the server has answered.
    this.overrides = wish;
    if (!this.#isSaving) await this.#saveLatest();
  }

  /** Save until the server has what was chosen last: one request at a time, as two could change places. */
  async #saveLatest(): Promise<void> {
    this.#isSaving = true;
    while (this.overrides && this.overrides !== this.#stored) {
      const wish = this.overrides;
      try {
        // Only what is named is changed; the generated type asks for all of it.
        const body = { context: wish } as Schemas['ConversationChange'];
        await unwrap(api.PUT('/api/conversations/{conversation_id}', { ...this.#path, body }));
        this.#stored = wish;
        this.saved = this.overrides === wish;
      } catch (error) {
        if (this.overrides === wish) this.overrides = this.#stored;
        this.problem = (error as Error).message;
      }
    }
    this.#isSaving = false;
  }

  /** Take over what somebody else chose. */
  handleEvent(event: ConversationEvent): void {
    if (event.type !== 'conversation.changed' || this.#isSaving) return;
    const { id, context } = event.conversation;
    if (id === this.#id && this.overrides && !hasSameOverrides(context, this.overrides))
      this.overrides = this.#stored = context;
  }
}

/** A project's settings are only hints here: without them the field says what the server would do. */
async function settingsOf(projectId: string | null): Promise<ProjectSettings | null> {
  if (!projectId) return null;
  try {
    const params = { path: { project_id: projectId } };
    return (await unwrap(api.GET('/api/projects/{project_id}', { params }))).settings;
  } catch {
    return null;
  }
}
