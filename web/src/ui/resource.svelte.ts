/** Something that is fetched: here, on its way, or not to be had and why. */
export class Resource<T> {
  value = $state.raw<T | null>(null);
  problem = $state('');
  isLoading = $state(false);
  readonly #fetch: () => Promise<T>;

  constructor(fetch: () => Promise<T>) {
    this.#fetch = fetch;
  }

  /** Fetch it, again if it is here already; what is here stays until then. */
  async load(): Promise<void> {
    this.isLoading = true;
    this.problem = '';
    try {
      this.value = await this.#fetch();
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.isLoading = false;
    }
  }
}
