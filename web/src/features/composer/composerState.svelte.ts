/** What is being written in one place: text, pictures, whom it is for. Kept until it is sent. */
import { api, ApiError, unwrap, type Schemas } from '$api/client';
import { Attachments } from '$features/files/attachments.svelte';
import { filesFromList } from '$features/files/fileSelection';
import { attachmentsUrl } from '$features/files/requests';
import { Upload, Uploads } from '$features/files/uploads.svelte';
import { projects } from '$features/projects/projects.svelte';
import { catalogue } from '$features/models/catalogue.svelte';
import { toasts } from '$ui/toasts.svelte';
import { parseDraft, draftKey, draftScopeOf, returnText, type ReturnedText } from './drafts';
import { randomKey } from '$lib/randomKey';
import type { QueuedMessage, NewTurn } from './messageQueue';
import { outbox, type OutboxEvent, type Turn } from './outbox.svelte';
import { storageOwner } from '$features/session/storageOwner';
import { readAsBase64, fitPicture, MESSAGE_MAX_PICTURES, type Picture } from './pictures';
import { TableState } from './tableState.svelte';
import { removeStored, writeStored, readStored } from '$lib/storage';
import { isSeat, type Seat, type Table } from './table';
import { words } from './texts';
import { fileMention } from './trigger';

/** A message before it is sent: whom it asks, where, and how. */
type Question = Pick<
  NewTurn,
  'message' | 'conversation_id' | 'project_id' | 'temporary' | 'policy' | 'parent_id'
> & {
  models: Schemas['Guest'][];
};

/** How long the hand may rest before the draft is stored. */
const DRAFT_SAVE_DELAY_MS = 250;
export class ComposerState {
  text = $state('');
  /** The one model this message is for; null when it is for the whole table. */
  recipient = $state.raw<Seat | null>(null);
  pictures = $state.raw<readonly Picture[]>([]);
  /** Whether the conversation that begins here is temporary. */
  temporary = $state(false);
  /** Messages that came back, with which the text begins. */
  #returned: readonly ReturnedText[] = [];
  /** Files on their way to the conversation, and those that it has. */
  readonly uploads = new Uploads();
  readonly attachments: Attachments;
  readonly scope: string;
  readonly table: TableState;
  readonly #thread = randomKey();
  readonly #conversationId: string | null;
  /** The project whose files can be named; null for the default one. */
  projectId = $state<string | null>(null);
  /** The conversation that was begun here: what is written next goes on there. */
  #begun = $state.raw<string | null>(null);
  /** What was sent from here begins a temporary conversation, and so does what follows until that has a name. */
  #beganTemporary = false;
  /** The conversation that was made for files is being made temporary, or one that stays. */
  #isMarking = $state(false);
  /** The conversation that was made for files before anything was asked in it. */
  #made = $state.raw<string | null>(null);
  #making: Promise<Schemas['ConversationView']> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    conversationId: string | null,
    projectId: string | null,
    attachments?: Attachments,
    askedLast?: () => Table | null,
  ) {
    this.#conversationId = conversationId;
    this.projectId = projectId;
    this.scope = draftScopeOf(conversationId, projectId);
    this.table = new TableState(conversationId, projectId, askedLast);
    outbox.open(storageOwner());
    const draft = parseDraft(readStored(this.#key));
    this.text = draft.text;
    this.#returned = draft.returned;
    this.recipient = draft.to;
    this.#made = conversationId ? null : draft.conversationId;
    this.temporary = conversationId === null && draft.temporary;
    this.attachments = attachments ?? new Attachments(conversationId ?? this.#made);
  }

  /** Tell whether a letter was written here. */
  isFromHere({ place }: QueuedMessage): boolean {
    return place === this.scope || place === this.#begun;
  }

  /** Whether there is something that can be sent. */
  get isComplete(): boolean {
    return this.text.trim() !== '' && !this.uploads.isBusy && !this.#isMarking;
  }

  /** Whether it can be chosen here that the conversation is temporary: before something was asked in it. */
  get canBeTemporary(): boolean {
    return this.#conversationId === null && this.#begun === null;
  }

  async setTemporary(temporary: boolean): Promise<void> {
    this.temporary = temporary;
    this.#beganTemporary &&= temporary;
    this.save();
    if (this.#made) await this.#markMade(this.#made);
  }

  /** Let the conversation that was made for files be what was chosen; where that is refused, it stays. */
  async #markMade(conversation_id: string): Promise<void> {
    const temporary = this.temporary;
    this.#isMarking = true;
    try {
      const body = { temporary } as Schemas['ConversationChange'];
      await unwrap(
        api.PUT('/api/conversations/{conversation_id}', { params: { path: { conversation_id } }, body }),
      );
    } catch (error) {
      if (isGone(error)) this.#forgetConversation();
      else this.temporary = !temporary;
      toasts.showError(error);
    }
    this.#isMarking = false;
    this.save();
  }

  /** Whether there are models and it is known that none of them is invited. */
  get hasNoRecipient(): boolean {
    const { ready, repeatsLastTable } = this.table;
    return this.recipients.length === 0 && catalogue.models.length > 0 && ready && !repeatsLastTable;
  }

  /** The seats this message goes to. */
  get recipients(): readonly Seat[] {
    return this.recipient ? [this.recipient] : this.table.seats;
  }

  /** Store the draft soon; while one writes, not with every letter. */
  saveSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), DRAFT_SAVE_DELAY_MS);
  }

  save(): void {
    clearTimeout(this.#timer);
    if (this.text || this.recipient || this.#made || this.temporary)
      writeStored(this.#key, {
        text: this.text,
        returned: this.#returned,
        to: this.recipient,
        conversationId: this.#made,
        temporary: this.temporary,
      });
    else removeStored(this.#key);
  }

  /** Hand the message to the outbox once it is known who sits here, and begin a new one. */
  async send(chosen: string | null): Promise<void> {
    if (this.recipients.length === 0) await this.table.opened;
    if (!this.isComplete || this.hasNoRecipient) return;
    const images = this.pictures.map(({ data }) => ({ data }));
    const body: NewTurn = { ...this.#question(chosen), images };
    this.table.storeFor(this.#conversationId);
    this.text = '';
    this.#returned = [];
    this.recipient = null;
    this.pictures = [];
    this.#beganTemporary ||= this.temporary;
    this.temporary = false;
    if (this.#made) this.#goOnIn(this.#made);
    else this.save();
    outbox.post(body, this.#thread);
  }

  /** What would be sent now, without its pictures; null while nothing could be. */
  draft(chosen: string | null): Question | null {
    const isOpen = this.recipients.length > 0 || this.table.repeatsLastTable;
    return this.isComplete && isOpen ? this.#question(chosen) : null;
  }

  #question(chosen: string | null): Question {
    const conversationId = this.#conversation;
    return {
      message: this.text.trim(),
      conversation_id: conversationId,
      project_id: conversationId ? null : this.projectId,
      temporary: conversationId === null && (this.temporary || this.#beganTemporary),
      models: this.recipients.map(({ model, effort }) => ({ model, effort })),
      policy: chosen ? 'chosen' : this.table.policy,
      parent_id: chosen ?? 'head',
    };
  }

  /** Put a letter's words and pictures back before what was written since. */
  restore({ at, body }: QueuedMessage): void {
    const written = { text: this.text, returned: this.#returned };
    const { text, returned: all } = returnText(written, { at, text: body.message });
    this.text = text;
    this.#returned = all;
    const returned = (body.images ?? []).map(({ data }) => ({ id: randomKey(), name: 'picture', data }));
    this.pictures = [...returned, ...this.pictures];
    const only = body.models?.length === 1 ? body.models[0] : null;
    if (isSeat(only) && this.table.seats.length > 1) this.recipient = only;
    if (this.canBeTemporary) this.temporary ||= (body.temporary ?? false) || this.#beganTemporary;
    this.save();
  }

  /** Deal with news of a letter that was written here. */
  handleOutboxEvent(news: OutboxEvent, onsent: (turn: Turn) => void, onaway: () => void): boolean {
    if (!this.isFromHere(news.letter)) return false;
    if (news.kind === 'refused') {
      if (isGone(news.problem)) this.#forgetConversation();
      this.restore(news.letter);
      if (news.problem) toasts.showError(news.problem);
      return true;
    }
    onaway();
    if (news.kind === 'postponed') return true;
    this.table.storeFor(news.turn.conversation.id);
    if (news.letter.thread === this.#thread) this.#goOnIn(news.turn.conversation.id);
    if (!this.#conversationId && this.#isBusy) return false;
    onsent(news.turn);
    return true;
  }

  /** Whether going elsewhere would take something away from here: pictures, or another conversation. */
  get #isBusy(): boolean {
    return this.pictures.length > 0 || (!this.#begun && this.isComplete);
  }

  /** What is written meanwhile is found in the conversation that has begun. */
  #goOnIn(conversationId: string): void {
    if (this.#conversationId) return;
    removeStored(this.#key);
    this.#begun = conversationId;
    this.#made = null;
    this.save();
  }

  /** Begin anew: the conversation that was made for files is gone, as temporary ones are after a day. */
  #forgetConversation(): void {
    if (this.#conversationId) return;
    removeStored(this.#key);
    this.#begun = this.#made = null;
    this.attachments.files = [];
  }

  /** The conversation that the message goes to, where there is one already. */
  get #conversation(): string | null {
    return this.#conversationId ?? this.#begun ?? this.#made;
  }

  /** The conversation that files are attached to: a new one where none has begun. */
  async #conversationForFiles(): Promise<string> {
    if (this.#conversation) return this.#conversation;
    const body = { project_id: this.projectId, instructions: '', temporary: this.temporary };
    this.#making ??= unwrap(api.POST('/api/conversations', { body }));
    try {
      const made = await this.#making;
      this.#made = made.id;
      if (made.temporary !== this.temporary) await this.#markMade(made.id);
    } finally {
      this.#making = null;
    }
    this.save();
    return this.#made;
  }

  get #key(): string {
    return draftKey(storageOwner(), this.#begun ?? this.scope);
  }

  /** Let pictures go along with the message; other files belong to the conversation, and it names them. */
  async attach(files: Iterable<File>): Promise<void> {
    const others: File[] = [];
    for (const file of files) {
      const picture = await fitPicture(file);
      if (!picture) others.push(file);
      else if (this.pictures.length >= MESSAGE_MAX_PICTURES) toasts.showError(words.tooMany);
      else await this.#attachOne(picture, file.name || 'picture');
    }
    if (others.length) await this.#attachFiles(others);
  }

  detach(id: string): void {
    this.pictures = this.pictures.filter((picture) => picture.id !== id);
  }

  async #attachOne(picture: Blob, name: string): Promise<void> {
    try {
      const data = await readAsBase64(picture, name);
      this.pictures = [...this.pictures, { id: randomKey(), name, data }];
    } catch (error) {
      toasts.showError(error);
    }
  }

  async #attachFiles(files: readonly File[]): Promise<void> {
    const haul = filesFromList(files);
    const upload = new Upload(haul, '');
    this.uploads.add(upload);
    try {
      const conversationId = await this.#conversationForFiles();
      await upload.run(attachmentsUrl(conversationId), haul.files, { prefix: '', unpack: false });
      void this.attachments.load(conversationId);
    } catch (error) {
      toasts.showError(error);
    } finally {
      this.uploads.dismiss(upload);
    }
    const problem = upload.problem || upload.skipped[0]?.reason;
    if (problem && upload.state !== 'stopped') toasts.showError(problem);
    this.#name(upload.paths);
  }

  #name(paths: readonly string[]): void {
    if (!paths.length) return;
    const before = this.text && !/\s$/.test(this.text) ? `${this.text} ` : this.text;
    this.text = `${before}${paths.map(fileMention).join(' ')} `;
    this.save();
  }

  /** The project whose files can be named: the default one where no other is meant. */
  get project(): string {
    return this.projectId ?? projects.list.find((project) => project.is_default)?.id ?? '';
  }
}

/** Tell whether there is no such conversation any more; an unknown model has a code of its own. */
const isGone = (problem: unknown): boolean => problem instanceof ApiError && problem.code === 'not_found';
