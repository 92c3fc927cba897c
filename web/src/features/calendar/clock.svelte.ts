/** What time it is, for what is drawn by it. */
const TICK_MS = 30_000;

export class Clock {
  now = $state(Date.now());

  /** Go until the returned function is called. */
  start(): () => void {
    const tick = () => (this.now = Date.now());
    tick();
    const timer = setInterval(tick, TICK_MS);
    // A tab that nobody saw may have slept.
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }
}
