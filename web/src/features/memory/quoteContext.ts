/** The words that a memory comes from, among those that stand around them. */
import type { Schemas } from '$api/client';

export interface QuoteContext {
  readonly before: string;
  readonly quote: string;
  readonly after: string;
}

const CONTEXT_MAX_CHARS = 120;

type Quote = Pick<Schemas['EvidenceView'], 'start_char' | 'end_char' | 'quote'>;

/** Return a quote with what stands around it; alone where the message no longer has it there. */
export function quoteContext({ start_char, end_char, quote }: Quote, content: string): QuoteContext {
  // Places count characters, of which one may take two of JavaScript's units.
  const chars = [...content];
  if (chars.slice(start_char, end_char).join('') !== quote) return { before: '', quote, after: '' };
  return {
    before: cutBefore(chars.slice(0, start_char)),
    quote,
    after: cutAfter(chars.slice(end_char)),
  };
}

function cutBefore(chars: readonly string[]): string {
  if (chars.length <= CONTEXT_MAX_CHARS) return onOneLine(chars.join(''));
  return `… ${onOneLine(
    chars
      .slice(-CONTEXT_MAX_CHARS)
      .join('')
      .replace(/^\S*\s+/, ''),
  )}`;
}

function cutAfter(chars: readonly string[]): string {
  if (chars.length <= CONTEXT_MAX_CHARS) return onOneLine(chars.join(''));
  return `${onOneLine(
    chars
      .slice(0, CONTEXT_MAX_CHARS)
      .join('')
      .replace(/\s+\S*$/, ''),
  )} …`;
}

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ');
