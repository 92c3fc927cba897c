/** The lines of a text that may be very long: fetched in blocks as they come into sight. */
import { SvelteMap } from 'svelte/reactivity';
import { Highlighter, type HighlightedLine } from '$lib/markdown/highlight';
import { languageOfPath } from './fileKinds';
import { ApiError } from '$api/client';
import { readFile, type FileText, type FileRef } from './requests';

interface Block {
  readonly texts: readonly string[];
  readonly colours: readonly HighlightedLine[] | null;
}

/** As many as the server gives in one answer. */
const BLOCK_LINES = 2000;
/** Browsers cannot scroll further than some millions of pixels. */
const SHOWN_LINES_MAX = 400_000;

export class TextLines {
  file = $state.raw<FileText | null>(null);
  problem = $state('');
  /** Whether the file is not there any more. */
  isDeleted = $state(false);
  total = $state(0);
  /** The line with which begins what is shown. */
  firstShown = $state(1);
  readonly #blocks = new SvelteMap<number, Block>();
  #asked: Record<number, Promise<void> | undefined> = {};
  readonly #place: FileRef;
  #endsWithBreak = true;

  constructor(place: FileRef) {
    this.#place = place;
  }

  /** How many lines are shown. */
  get shown(): number {
    return Math.min(SHOWN_LINES_MAX, this.total - this.firstShown + 1);
  }

  /** Fetch the file and its lines around one; what is here of it is forgotten. */
  async open(line = 1): Promise<void> {
    this.#asked = {};
    this.problem = '';
    this.firstShown = line > SHOWN_LINES_MAX ? Math.max(1, line - SHOWN_LINES_MAX / 2) : 1;
    try {
      await this.#ask(blockOf(line), true);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Find out whether the file is still there: nothing tells when somebody else deletes it. */
  async checkExists(): Promise<void> {
    try {
      await readFile(this.#place, 1, 1);
      this.isDeleted = false;
    } catch (error) {
      if (isUnavailable(error)) this.isDeleted = true;
    }
  }

  /** Make sure that a line is among those shown. */
  center(line: number): void {
    const seen = line >= this.firstShown && line < this.firstShown + SHOWN_LINES_MAX;
    if (!seen) this.firstShown = Math.max(1, Math.min(line, this.total) - SHOWN_LINES_MAX / 2);
  }

  /** A line's text; null until it is fetched. */
  textAt(line: number): string | null {
    return this.#blocks.get(blockOf(line))?.texts[(line - 1) % BLOCK_LINES]?.replace(/\r$/, '') ?? null;
  }

  coloursAt(line: number): HighlightedLine | null {
    return this.#blocks.get(blockOf(line))?.colours?.[(line - 1) % BLOCK_LINES] ?? null;
  }

  /** A line came into sight. */
  requestLine(line: number): void {
    this.#ask(blockOf(line)).catch((error: unknown) => this.#fail(error));
  }

  /** Return the whole text. Only for texts that are small. */
  async loadAll(): Promise<string> {
    const count = Math.ceil(this.total / BLOCK_LINES);
    for (let block = 0; block < count; block++) await this.#ask(block);
    const texts = Array.from({ length: count }, (_, block) => this.#blocks.get(block)?.texts ?? []);
    return texts.flat().join('\n') + (this.#endsWithBreak && this.total ? '\n' : '');
  }

  #fail(error: unknown): void {
    this.problem = (error as Error).message;
    if (this.file && isUnavailable(error)) this.isDeleted = true;
  }

  #ask(block: number, anew = false): Promise<void> {
    const asked = (this.#asked[block] ??= this.#fetch(block, anew));
    asked.catch(() => (this.#asked[block] = undefined));
    return asked;
  }

  async #fetch(block: number, anew: boolean): Promise<void> {
    const end = (block + 1) * BLOCK_LINES;
    const texts: string[] = [];
    for (let start = block * BLOCK_LINES + 1; start <= end;) {
      const answer = await readFile(this.#place, start, end);
      const parts = (answer.content ?? '').split('\n');
      const isWhole = parts.at(-1) === '';
      if (isWhole) parts.pop();
      // A line that was cut because the answer was full comes whole with the next one, unless it fills that too.
      else if (answer.truncated && parts.length > 1) parts.pop();
      texts.push(...parts);
      this.#show(answer, anew && start === block * BLOCK_LINES + 1);
      if (answer.end_line >= answer.total_lines) this.#endsWithBreak = isWhole;
      if (!answer.truncated || !parts.length) break;
      start += parts.length;
    }
    this.#blocks.set(block, { texts, colours: null });
    void this.#paint(block, texts);
  }

  #show(answer: FileText, anew: boolean): void {
    if (!anew && this.file) return;
    this.#blocks.clear();
    this.file = answer;
    this.total = answer.total_lines;
  }

  async #paint(block: number, texts: readonly string[]): Promise<void> {
    const language = languageOfPath(this.file?.path ?? '');
    if (!language || language === 'csv') return;
    const colours = await new Highlighter(language)
      .highlight(texts.join('\n').replaceAll('\r\n', '\n'), false)
      .catch(() => null);
    if (this.#blocks.get(block)?.texts === texts) this.#blocks.set(block, { texts, colours });
  }
}

const isUnavailable = (error: unknown): boolean => error instanceof ApiError && error.isUnavailable;
const blockOf = (line: number): number => Math.floor((line - 1) / BLOCK_LINES);
