import { words } from './pageTexts';

interface ToolTest {
  readonly ok: boolean;
  readonly attempted: number | null;
  readonly failed: number | null;
}

/** How trying a tool went, in a sentence. */
export function testOutcome({ ok, attempted, failed }: ToolTest): { good: boolean; text: string } {
  if (failed) return { good: false, text: words.notPassed(failed, attempted ?? failed) };
  if (!ok) return { good: false, text: words.broken };
  return { good: true, text: attempted ? words.passed(attempted) : words.noExamples };
}
