/** What became of a task, in words. */
import { fullDateText } from '$lib/dateWords';
import { describeRule } from '$lib/recurrenceRules';
import type { Schemas } from '$api/client';
import { durationText } from './taskDates';
import { words } from './texts';

type FieldChange = Schemas['FieldChangeView'];
type Value = FieldChange['before'];

/** Says what an id stands for; undefined where nobody knows. */
export interface Names {
  readonly project: (id: string) => string | undefined;
  readonly phase: (id: string) => string | undefined;
  readonly person: (id: string) => string | undefined;
}

export interface ChangeText {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** Say what changed; the kind of a task goes without saying, as its rule does that. */
export const describeChanges = (changes: readonly FieldChange[], names: Names): ChangeText[] =>
  changes
    .filter(({ name }) => name !== 'task_type')
    .map(({ name, before, after }) => ({
      field: words.historyFields[name] ?? name,
      ...(name === 'description'
        ? { before: '', after: words.rewritten }
        : { before: valueText(name, before, names), after: valueText(name, after, names) }),
    }));

function valueText(name: string, value: Value, names: Names): string {
  if (value === null || value === '' || (Array.isArray(value) && !value.length)) return words.nothing;
  if (Array.isArray(value)) return value.map((tag) => `#${tag}`).join(' ');
  if (typeof value === 'number') return durationText(value);
  return namedValue(name, value, names) ?? value;
}

function namedValue(name: string, value: string, names: Names): string | undefined {
  switch (name) {
    case 'status':
      return words.statuses[value as keyof typeof words.statuses];
    case 'priority':
      return words.priorities[value as keyof typeof words.priorities];
    case 'start_date':
    case 'due_date':
      return fullDateText(value);
    case 'rrule':
      return describeRule(value);
    case 'project_id':
      return names.project(value) ?? words.unknown;
    case 'phase_id':
      return names.phase(value) ?? words.unknown;
    case 'assignee_id':
      return names.person(value) ?? words.unknown;
    default:
      return undefined;
  }
}
