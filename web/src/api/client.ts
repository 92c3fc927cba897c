/** The one way to the server: typed by its own description. */
import createClient from 'openapi-fetch';
import { needsKeepalive } from './keepalive';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

/** A request that the browser finishes even when its page is closed, where it deletes or changes something. */
class PageRequest extends Request {
  constructor(url: RequestInfo | URL, init: RequestInit = {}) {
    super(url, { ...init, keepalive: needsKeepalive(String(url), init) });
  }
}

export const api = createClient<paths>({ baseUrl: '', Request: PageRequest });

/** What the server refused, and why, in a sentence for the person. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  /** Whether it is only for the moment: unreachable, or a server that is busy or restarting. */
  get isTransient(): boolean {
    return [0, 502, 503, 504].includes(this.status);
  }

  /** Whether what was asked for is not there for this person: deleted, or not shared with them. */
  get isUnavailable(): boolean {
    return [403, 404, 410].includes(this.status);
  }
}

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** Return what was answered, or throw the problem. A server that cannot be reached is `offline`. */
export async function unwrap<T>(request: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await request;
  } catch {
    throw new ApiError(0, 'offline', 'The server cannot be reached just now. Try again in a moment.');
  }
  if (answer.response.ok) return answer.data as T;
  const detail = (answer.error as { error?: { code: string; message: string } } | undefined)?.error;
  throw new ApiError(
    answer.response.status,
    detail?.code ?? 'http_error',
    detail?.message ?? `The server answered ${answer.response.status}.`,
  );
}

export type Conversation = Schemas['ConversationView'];
export type Round = Schemas['RoundView'];
export type Reply = Schemas['ReplyView'];
export type Message = Schemas['MessageView'];
export type Project = Schemas['ProjectView'];
export type ConversationEvent = Schemas['ConversationEvent'];
