/** Ready-made beginnings of messages; a person's own come before them. */
export interface Template {
  readonly name: string;
  readonly text: string;
}

export const BUILT_IN_TEMPLATES: readonly Template[] = [
  { name: 'summarise', text: 'Summarise this in five sentences, then list what is left open.\n\n' },
  { name: 'explain', text: 'Explain this so that a bright twelve-year-old understands it.\n\n' },
  { name: 'compare', text: 'Compare these options in a table, then say which you would take and why.\n\n' },
  { name: 'critique', text: 'Find the weakest points of this, the worst first, and mend each.\n\n' },
  { name: 'rewrite', text: 'Rewrite this so that it is clear and short. Keep my voice.\n\n' },
  { name: 'translate', text: 'Translate this into English. Keep tone and formatting.\n\n' },
  { name: 'plan', text: 'Break this into small steps that can each be finished in a day.\n\n' },
  { name: 'review', text: 'Review this code: bugs first, then clarity. Show each change as a diff.\n\n' },
];

/** A name that can be typed after a slash. */
export const templateSlug = (name: string): string =>
  name.trim().toLowerCase().replaceAll('/', '-').replace(/\s+/g, '-').slice(0, 40);

/** Add a template; one of the same name is replaced. */
export const addTemplate = (own: readonly Template[], name: string, text: string): readonly Template[] =>
  [...removeTemplate(own, templateSlug(name)), { name: templateSlug(name), text }].sort((a, b) =>
    a.name.localeCompare(b.name),
  );

export const removeTemplate = (own: readonly Template[], name: string): readonly Template[] =>
  own.filter((template) => template.name !== name);

/** A person's own templates, then the ready-made ones that they did not replace. */
export const allTemplates = (own: readonly Template[]): readonly Template[] => [
  ...own,
  ...BUILT_IN_TEMPLATES.filter((ready) => !own.some((template) => template.name === ready.name)),
];

/** Read stored templates, leaving out what is none. */
export function parseTemplates(stored: unknown): readonly Template[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter((entry: Partial<Template> | null) => {
    return typeof entry?.name === 'string' && typeof entry.text === 'string';
  }) as Template[];
}
