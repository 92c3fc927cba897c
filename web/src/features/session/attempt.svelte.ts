/** One form's tries to have the server do something: under way, refused and why, or to wait. */
import { need } from '$api/client';

type Request<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

export class Attempt {
  busy = $state(false);
  problem = $state('');
  /** Seconds until the server listens again. */
  wait = $state(0);
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Return what was answered; null when it was refused, and then `problem` says why. */
  async make<T>(request: Request<T>): Promise<T | null> {
    this.busy = true;
    this.problem = '';
    try {
      return await need(request);
    } catch (error) {
      this.problem = (error as Error).message;
      this.#pause(await secondsToWait(request));
      return null;
    } finally {
      this.busy = false;
    }
  }

  #pause(seconds: number): void {
    clearInterval(this.#timer);
    this.wait = seconds;
    if (!seconds) return;
    this.#timer = setInterval(() => {
      this.wait -= 1;
      if (this.wait > 0) return;
      clearInterval(this.#timer);
      this.problem = '';
    }, 1000);
  }
}

async function secondsToWait(request: Request<unknown>): Promise<number> {
  const answer = await request.catch(() => null);
  const seconds = Number(answer?.response.headers.get('retry-after'));
  return answer?.response.status === 429 && seconds > 0 ? Math.ceil(seconds) : 0;
}
