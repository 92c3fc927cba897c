/** Return a function that does something, never twice at once: asked meanwhile, it does it once more after. */
export function singleFlight(doing: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let again = false;
  const run = async (): Promise<void> => {
    do {
      again = false;
      await doing();
    } while (again);
  };
  return () => {
    again = true;
    running ??= run().finally(() => (running = null));
    return running;
  };
}
