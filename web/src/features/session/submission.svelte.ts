/** One form's tries to have the server do something: under way, refused and why, or to wait. */
import { unwrap } from '$api/client';

type Request<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

export class Submission {
  busy = $state(false);
  problem = $state('');
  /** Seconds until the server listens again. */
  retryAfterSeconds = $state(0);
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Return what was answered; null when it was refused, and then `problem` says why. */
  async send<T>(request: Request<T>): Promise<T | null> {
    this.busy = true;
    this.problem = '';
    try {
      return await unwrap(request);
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
    this.retryAfterSeconds = seconds;
    if (!seconds) return;
    this.#timer = setInterval(() => {
      this.retryAfterSeconds -= 1;
      if (this.retryAfterSeconds > 0) return;
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
