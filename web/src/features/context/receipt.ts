/** A receipt as it is read: where its items stand, which of them can be left out, and what was counted. */
import type { Schemas } from '$api/client';
import { fileHref, memoryHref, roundHref } from '$lib/hrefs';
import { words } from './receiptTexts';

export type Receipt = Schemas['ReceiptView'];
export type ReceiptItem = Schemas['ItemView'];
export type LeftOut = Schemas['LeftOutView'];
type SectionKind = Schemas['SectionKind'];

const MEMORY_ITEM_PREFIX = 'memory:';

/** Where an item can be looked up. */
export type ItemLink =
  | { readonly to: 'round'; readonly href: string; readonly round: string; readonly here: boolean }
  | { readonly to: 'file' | 'memory'; readonly href: string }
  | { readonly to: 'summary' };

/** The way to what an item was taken from; null where there is nothing more to see. */
export function itemLink({ id, pointer }: ReceiptItem, conversationId: string): ItemLink | null {
  if (id === 'profile') return { to: 'memory', href: '/memory/profile' };
  if (id.startsWith(MEMORY_ITEM_PREFIX))
    return { to: 'memory', href: memoryHref(id.slice(MEMORY_ITEM_PREFIX.length)) };
  if (pointer.file_id && pointer.project_id) {
    const { project_id, file_id, start_line, end_line } = pointer;
    return { to: 'file', href: fileHref(project_id, file_id, Math.max(1, start_line), end_line) };
  }
  if (pointer.summary_id) return { to: 'summary' };
  if (!pointer.round_id) return null;
  const conversation = pointer.conversation_id || conversationId;
  const here = conversation === conversationId;
  return { to: 'round', href: roundHref(conversation, pointer.round_id), round: pointer.round_id, here };
}

/** Every prompt has these: without them there would be nothing to answer, or nobody to do it. */
const REQUIRED_SECTIONS: readonly SectionKind[] = ['system', 'tools', 'question', 'steps'];

export const canLeaveOut = (kind: SectionKind): boolean => !REQUIRED_SECTIONS.includes(kind);

/** What the person left out of this prompt: they mean it for the next one too. What is hidden has no name. */
export const idsLeftOutByPerson = (leftOut: readonly LeftOut[]): string[] =>
  leftOut.filter(isLeftOutByPerson).map(leftOutId);

export const isLeftOutByPerson = ({ reason, item }: LeftOut): boolean =>
  reason === 'asked' && !item.is_hidden;

/** The name by which something that was left out can be let in again. */
export const leftOutId = ({ section, item }: LeftOut): string =>
  section === 'summary' ? 'summary' : item.id;

export interface LeftOutGroup {
  readonly reason: LeftOut['reason'];
  readonly why: string;
  readonly left: readonly LeftOut[];
}

/** What was left out, together with all that was left out for the same reason. */
export function groupByReason(leftOut: readonly LeftOut[]): LeftOutGroup[] {
  const groups = new Map<string, LeftOut[]>();
  for (const item of leftOut) groups.set(item.reason, [...(groups.get(item.reason) ?? []), item]);
  return [...groups.values()].flatMap((left) =>
    left[0] ? [{ reason: left[0].reason, why: left[0].why, left }] : [],
  );
}

const number = new Intl.NumberFormat();

/** What was counted before, in all steps, beside what the provider reported of them afterwards. */
export function compareTokenCounts({ plan, usage, status }: Receipt): string {
  const sent = number.format(plan.sent);
  const counted = plan.steps.length ? words.inSteps(sent, plan.steps.length + 1) : sent;
  if (usage && !usage.estimated) return words.compared(counted, number.format(usage.input));
  return ['queued', 'running', 'waiting'].includes(status)
    ? words.awaited(counted)
    : words.unreported(counted);
}

/** A share as people say it: something is never called nothing, and not all is never called all. */
export function formatPercent(share: number): string {
  const rounded = Math.round(share * 100);
  if (share > 0 && rounded === 0) return '< 1 %';
  return `${share < 1 ? Math.min(99, rounded) : 100} %`;
}

/** The words of each item, by its name. */
export const textsById = ({ plan }: Receipt): Map<string, string> =>
  new Map([...plan.sections, ...plan.steps].flatMap(({ items }) => items.map(({ id, text }) => [id, text])));

/** A step as a section of its own: what it added to those before. */
export function stepAsSection({ items }: Schemas['StepView']): Schemas['SectionView'] {
  return { kind: 'steps', tokens: items.reduce((sum, { tokens }) => sum + tokens, 0), items };
}

/** Tell whether two prompts leave out the same. */
export const hasSameIds = (a: ReadonlySet<string>, b: readonly string[]): boolean =>
  a.size === new Set(b).size && b.every((id) => a.has(id));
