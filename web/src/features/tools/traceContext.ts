/** Where a trace is shown: the conversation, whose project its tools write in. */
import { createContext } from 'svelte';
import type { Conversation } from '$api/client';

interface TraceContext {
  readonly conversation: Conversation | null;
}

export const [getTraceContext, setTraceContext] = createContext<TraceContext>();
