/** What a person edits of a project, and what of it has to be sent. */
import type { Project, Schemas } from '$api/client';

type Settings = Schemas['ProjectSettingsView'];

export interface ProjectFields {
  name: string;
  description: string;
  brief: string;
  instructions: string;
  status: Project['status'];
  default_models: string[];
  context_strategy: Settings['context_strategy'];
  /** Empty where each model's tier decides. */
  context_level: Schemas['Level'] | '';
  /** Null where each model's window decides. */
  max_context_tokens: number | null;
  context_tools: Schemas['ToolOffer'];
}

const TOP_LEVEL_FIELDS = ['name', 'description', 'brief', 'instructions', 'status'] as const;

/** Return the fields of a project as a form shows them. */
export function projectFields(project: Project): ProjectFields {
  const { name, description, brief, instructions, status, settings } = project;
  const {
    default_models = [],
    context_strategy,
    context_level,
    max_context_tokens,
    context_tools,
  } = settings;
  return {
    name,
    description,
    brief,
    instructions,
    status,
    default_models,
    context_strategy,
    context_level: context_level ?? '',
    max_context_tokens: max_context_tokens ?? null,
    context_tools,
  };
}

/** Return what the person changed since `known`, and nothing else. */
export function changedFields(form: ProjectFields, known: ProjectFields): Partial<ProjectFields> {
  const keys = Object.keys(known) as (keyof ProjectFields)[];
  return Object.fromEntries(
    keys.filter((key) => !same(form[key], known[key])).map((key) => [key, form[key]]),
  );
}

/** Return the request for some edits; settings travel as a whole, so the latest are the ground. */
export function toChangeRequest(
  edited: Partial<ProjectFields>,
  latest: Project,
): Partial<Schemas['ProjectChange']> {
  const own = Object.fromEntries(
    TOP_LEVEL_FIELDS.filter((key) => key in edited).map((key) => [key, edited[key]]),
  );
  const set = settingsIn(edited);
  return Object.keys(set).length ? { ...own, settings: { ...latest.settings, ...set } } : own;
}

function settingsIn(edited: Partial<ProjectFields>): Partial<Settings> {
  const { default_models, context_strategy, context_level, max_context_tokens, context_tools } = edited;
  return {
    ...(default_models ? { default_models: [...default_models] } : {}),
    ...(context_strategy ? { context_strategy } : {}),
    ...(context_level === undefined ? {} : { context_level: context_level || null }),
    ...(max_context_tokens === undefined ? {} : { max_context_tokens }),
    ...(context_tools ? { context_tools } : {}),
  };
}

/** Take over what the server has, except where the person has written on since `sent`. */
export function rebaseEdits(form: ProjectFields, sent: ProjectFields, fresh: ProjectFields): ProjectFields {
  return { ...fresh, ...changedFields(form, sent) };
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
