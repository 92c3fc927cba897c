/** The rules that are offered for a task, with the one that it has. */
import { describeRule, simpleRules, splitRule } from '$lib/recurrenceRules';

export interface RuleChoice {
  readonly value: string;
  readonly label: string;
}

/** Return what can be chosen for a day: what is there already is always among it. */
export function ruleChoices(day: string, rule: string, never: string): RuleChoice[] {
  const { base } = splitRule(rule);
  const offered = simpleRules(day);
  const all = base && !offered.includes(base) ? [base, ...offered] : offered;
  return [{ value: '', label: never }, ...all.map((value) => ({ value, label: describeRule(value) }))];
}
