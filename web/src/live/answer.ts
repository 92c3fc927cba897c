/** What the server means when it answers a request for events with something else than a stream. */
export type StreamAnswer = 'signed_out' | 'unavailable' | 'trouble';

/** Read a status; `unavailable` is the conversation that was asked for, and whatever else there is goes on. */
export function answerOf(status: number, hasConversation: boolean): StreamAnswer {
  if (status === 401 || (status === 403 && !hasConversation)) return 'signed_out';
  if (hasConversation && [403, 404, 410].includes(status)) return 'unavailable';
  return 'trouble';
}

/** Ask for a stream and return only the status of the answer; 0 when none comes. */
export async function statusOf(url: string, signal: AbortSignal): Promise<number> {
  const enough = new AbortController();
  try {
    return (await fetch(url, { signal: AbortSignal.any([signal, enough.signal]) })).status;
  } catch {
    return 0;
  } finally {
    enough.abort();
  }
}
