/** The changes between two versions, as lines to draw. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'gap';
  readonly text: string;
  /** Its number before and after the change; null where it is not. */
  readonly before: number | null;
  readonly after: number | null;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const KINDS = { '+': 'added', '-': 'removed', ' ': 'same' } as const;

/** Read changes in the unified form. */
export function diffLines(unified: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [0, 0];
  for (const line of unified.split('\n')) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      lines.push({ kind: 'gap', text: '', before: null, after: null });
      continue;
    }
    const kind = KINDS[line[0] as keyof typeof KINDS];
    // Before the first hunk stand the names of the versions.
    if (!lines.length || !kind) continue;
    lines.push({
      kind,
      text: line.slice(1).replace(/\r$/, ''),
      before: kind === 'added' ? null : before++,
      after: kind === 'removed' ? null : after++,
    });
  }
  return lines.slice(lines[1]?.before === 1 || lines[1]?.after === 1 ? 1 : 0);
}
