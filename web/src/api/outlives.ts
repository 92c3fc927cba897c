/** Which requests the browser finishes although their page is closed: what a person deletes must be gone. */

/** Browsers refuse to keep more alive than 64 KiB, in all requests of a page together. */
export const KEEPALIVE_MAX_BYTES = 60_000;

const DELETION = /\/deletion(?:$|\?)/;

/** Whether a request deletes something, and is small enough to be kept alive. */
export function outlivesPage(url: string, { method = 'GET', body }: RequestInit): boolean {
  const deletes = method === 'DELETE' || (method === 'POST' && DELETION.test(url));
  return deletes && (!body || (typeof body === 'string' && bytesIn(body) <= KEEPALIVE_MAX_BYTES));
}

const bytesIn = (text: string): number => new TextEncoder().encode(text).length;
