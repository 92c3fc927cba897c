/** When the phases of a project are, and how far they have come. */
import { dateText, shortDateText } from '$lib/dateWords';
import type { Phase } from './requests';
import { words } from './texts';

export type PhaseState = 'done' | 'late' | 'now' | null;
type Counted = Pick<Phase, 'task_count' | 'done_count'>;
type Dated = Pick<Phase, 'start_date' | 'end_date'>;

export const phasePercent = ({ task_count, done_count }: Counted): number =>
  task_count ? Math.round((done_count / task_count) * 100) : 0;

/** Say how a phase stands on a day: done with all its tasks, late, or going on. */
export function phaseState(phase: Counted & Dated, today: string): PhaseState {
  if (phase.task_count > 0 && phase.done_count === phase.task_count) return 'done';
  if (phase.end_date && phase.end_date < today) return 'late';
  const hasBegun = phase.start_date !== null && phase.start_date <= today;
  return hasBegun ? 'now' : null;
}

/** From when to when a phase is; empty without dates. */
export function phaseDates({ start_date, end_date }: Dated): string {
  if (start_date && end_date) {
    const isSameYear = start_date.slice(0, 4) === end_date.slice(0, 4);
    return words.phaseDates((isSameYear ? shortDateText : dateText)(start_date), dateText(end_date));
  }
  if (start_date) return words.phaseFrom(dateText(start_date));
  return end_date ? words.phaseUntil(dateText(end_date)) : '';
}
