/** The conversations that have to do with a task: each once, with all that it has to do with it. */
import type { Task } from './requests';

type TaskLink = Task['links'][number];

export interface LinkedConversation {
  readonly id: string;
  /** The first message that is meant; null for the conversation as a whole. */
  readonly messageId: string | null;
  readonly kinds: readonly TaskLink['kind'][];
}

export function linkedConversations(links: readonly TaskLink[]): LinkedConversation[] {
  const found = new Map<string, LinkedConversation>();
  for (const { conversation_id: id, message_id, kind } of links) {
    const known = found.get(id);
    found.set(id, {
      id,
      messageId: known?.messageId ?? message_id ?? null,
      kinds: [...new Set([...(known?.kinds ?? []), kind])],
    });
  }
  return [...found.values()];
}
