/** Which requests are finished although their page is closed: what a person deletes must be gone. */

/**
 * Browsers refuse to keep more alive than 64 KiB, in all requests of a page together: what is larger
 * goes through the service worker, which does not end with the page. It is cut nowhere: one deletion
 * has one undo.
 */
export const KEEPALIVE_MAX_BYTES = 60_000;

const DELETION = /\/deletion(?:$|\?)/;

/** Whether a request deletes something. */
export const isDeletionRequest = (url: string, method: string): boolean =>
  method === 'DELETE' || (method === 'POST' && DELETION.test(url));

/** Whether the browser is to keep a request alive: it deletes something, and is small enough. */
export function needsKeepalive(url: string, { method = 'GET', body }: RequestInit): boolean {
  return isDeletionRequest(url, method) && (!body || (typeof body === 'string' && isSmall(body)));
}

const isSmall = (text: string): boolean => new TextEncoder().encode(text).length <= KEEPALIVE_MAX_BYTES;
