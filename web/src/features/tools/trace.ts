/** What a reply did, in the order in which it said and did it. */
import type { Reply, Schemas } from '$api/client';

/** A call of a tool; while it runs, how far it is (0 to 1). */
export type Call = Schemas['ToolCallView'] & { readonly share?: number | null };

export interface Step {
  readonly number: number;
  readonly calls: readonly Call[];
}

/** Words, and the steps with tools that followed them. */
export interface Part {
  readonly text: string;
  readonly steps: readonly Step[];
}

/** The parts of a reply; where tools were used, its words stand between them. */
export function partsOf({ content, tool_calls: calls }: Pick<Reply, 'content' | 'tool_calls'>): Part[] {
  const places = [...new Set(calls.map(({ at }) => at))].toSorted((one, other) => one - other);
  const parts: Part[] = [];
  let [start, from] = [0, 0];
  for (const at of places) {
    const end = start + unitsOf(content.slice(start), at - from);
    parts.push({ text: content.slice(start, end), steps: stepsOf(calls.filter((call) => call.at === at)) });
    [start, from] = [end, at];
  }
  return [...parts, { text: content.slice(start), steps: [] }];
}

function stepsOf(calls: readonly Call[]): Step[] {
  const numbers = [...new Set(calls.map(({ step }) => step))];
  return numbers.map((number) => ({ number, calls: calls.filter(({ step }) => step === number) }));
}

/** The number of JavaScript's units that the first characters take. */
export function unitsOf(text: string, characters: number): number {
  let units = 0;
  for (let count = 0; count < characters && units < text.length; count++)
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return units;
}

/** How long something took, as people read it. */
export function tookOf(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
