/** Files on their way to the server, form by form; each upload can be stopped and says how it went. */
import { uploadBatches, type FileWithPath, type FileSelection } from './fileSelection';
import { sendForm, type SkippedFile } from './requests';
import { words } from './texts';

type State = 'sending' | 'done' | 'stopped' | 'failed';

export class Upload {
  state = $state<State>('sending');
  files = $state(0);
  /** Files that the server was given, kept or not. */
  passed = $state(0);
  kept = $state(0);
  skipped = $state.raw<readonly SkippedFile[]>([]);
  /** Where the files lie that were kept. */
  paths = $state.raw<readonly string[]>([]);
  problem = $state('');
  /** Where they go; empty for the top. */
  readonly folder: string;
  #bytes = $state(0);
  #current = $state(0);
  readonly #all: number;
  readonly #stop = new AbortController();

  constructor({ files, leftOut }: FileSelection, folder: string) {
    this.folder = folder;
    this.files = files.length;
    this.#all = weight(files);
    this.skipped = leftOut.map(({ path, ours }) => ({
      path,
      code: 'left_out',
      reason: ours ? words.systemFile : words.unreadable,
    }));
  }

  /** How much is sent, from 0 to 1. */
  get share(): number {
    return this.#all ? Math.min(1, (this.#bytes + this.#current) / this.#all) : 1;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Send all forms to an address, one after the other; what arrived stays, whatever happens then. */
  async run(
    url: string,
    files: readonly FileWithPath[],
    place: { prefix: string; unpack: boolean },
  ): Promise<void> {
    try {
      for (const form of uploadBatches(files)) await this.#send(url, form, place);
      this.state = 'done';
    } catch (error) {
      this.state = this.#stop.signal.aborted ? 'stopped' : 'failed';
      this.problem = (error as Error).message;
    }
  }

  async #send(url: string, form: FileWithPath[], place: { prefix: string; unpack: boolean }) {
    const signal = this.#stop.signal;
    signal.throwIfAborted();
    const onprogress = (bytes: number) => (this.#current = Math.min(bytes, weight(form)));
    const answer = await sendForm(url, form, { ...place, signal, onprogress });
    this.#current = 0;
    this.#bytes += weight(form);
    this.passed += form.length;
    this.kept += answer.files.length;
    this.paths = [...this.paths, ...answer.files.map(({ path }) => path)];
    this.skipped = [...this.skipped, ...answer.skipped];
  }
}

// A file without bytes has a name to be sent all the same.
const weight = (files: readonly FileWithPath[]): number =>
  files.reduce((sum, { file }) => sum + file.size + 200, 0);

export class Uploads {
  list = $state.raw<readonly Upload[]>([]);

  add(upload: Upload): void {
    this.list = [...this.list, upload];
  }

  dismiss(upload: Upload): void {
    this.list = this.list.filter((other) => other !== upload);
  }

  get isBusy(): boolean {
    return this.list.some((upload) => upload.state === 'sending');
  }
}
