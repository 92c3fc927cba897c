/** Which requests are finished although their page is closed: what a person has changed stays so. */

/**
 * Browsers refuse to keep more alive than 64 KiB, in all requests of a page together: what is larger
 * goes through the service worker, which does not end with the page. It is cut nowhere: one deletion
 * has one undo.
 */
export const KEEPALIVE_MAX_BYTES = 60_000;

const DELETION = /\/deletion(?:$|\?)/;
const MOVE = /\/move(?:$|\?)/;

/** Whether a request deletes something. */
export const isDeletionRequest = (url: string, method: string): boolean =>
  method === 'DELETE' || (method === 'POST' && DELETION.test(url));

/** Whether a request changes something that the page shows as changed before the server has answered. */
const isShownAtOnce = (url: string, method: string): boolean =>
  method === 'PUT' || method === 'PATCH' || (method === 'POST' && MOVE.test(url));

/** Whether the browser is to keep a request alive: it deletes or changes something, and is small enough. */
export function needsKeepalive(url: string, { method = 'GET', body }: RequestInit): boolean {
  const isKept = isDeletionRequest(url, method) || isShownAtOnce(url, method);
  return isKept && (!body || (typeof body === 'string' && isSmall(body)));
}

const isSmall = (text: string): boolean => new TextEncoder().encode(text).length <= KEEPALIVE_MAX_BYTES;
