/** The messages that proposals quote, fetched once each. */
import { quoteContext, type QuoteContext } from './quoteContext';
import { fetchMessage, type Memory } from './requests';

export class QuotedMessages {
  readonly #texts = new Map<string, string>();

  /** Fetch the messages that some memories quote. Without one, its quote stands alone. */
  async load(memories: readonly Memory[], signal: AbortSignal): Promise<void> {
    const missing = new Map(
      memories.flatMap(({ evidence }) =>
        evidence && !this.#texts.has(evidence.message_id)
          ? [[evidence.message_id, evidence.conversation_id] as const]
          : [],
      ),
    );
    await Promise.all(
      [...missing].map(async ([message, conversation]) => {
        const found = await fetchMessage(conversation, message, signal).catch(() => undefined);
        if (found) this.#texts.set(message, found.content);
      }),
    );
  }

  contextOf({ evidence }: Memory): QuoteContext | null {
    return evidence && quoteContext(evidence, this.#texts.get(evidence.message_id) ?? '');
  }
}
