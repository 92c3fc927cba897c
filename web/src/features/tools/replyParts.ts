/** What a reply did, in the order in which it said and did it. */
import type { Reply, Schemas } from '$api/client';

/** A call of a tool; while it runs, how far it is (0 to 1). */
export type ToolCall = Schemas['ToolCallView'] & { readonly share?: number | null };

export interface ToolStep {
  readonly number: number;
  readonly calls: readonly ToolCall[];
}

/** Words, and the steps with tools that followed them. */
export interface ReplyPart {
  readonly text: string;
  readonly steps: readonly ToolStep[];
}

/** The parts of a reply; where tools were used, its words stand between them. */
export function replyParts({
  content,
  tool_calls: calls,
}: Pick<Reply, 'content' | 'tool_calls'>): ReplyPart[] {
  const places = [...new Set(calls.map(({ at }) => at))].toSorted((a, b) => a - b);
  const parts: ReplyPart[] = [];
  let [start, from] = [0, 0];
  for (const at of places) {
    const end = start + codeUnits(content.slice(start), at - from);
    parts.push({ text: content.slice(start, end), steps: stepsOf(calls.filter((call) => call.at === at)) });
    [start, from] = [end, at];
  }
  return [...parts, { text: content.slice(start), steps: [] }];
}

function stepsOf(calls: readonly ToolCall[]): ToolStep[] {
  const numbers = [...new Set(calls.map(({ step }) => step))];
  return numbers.map((number) => ({ number, calls: calls.filter(({ step }) => step === number) }));
}

/** The number of JavaScript's units that the first characters take. */
export function codeUnits(text: string, characters: number): number {
  let units = 0;
  for (let count = 0; count < characters && units < text.length; count++)
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return units;
}

/** How long something took, as people read it. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
