/** A profile as its form shows it: every field a text, names separated by commas. */
import type { Schemas } from '$api/client';
import type { ProfileChange } from './requests';

export type UserProfile = Schemas['UserProfileView'];

export interface ProfileForm {
  coding_style: string;
  preferred_languages: string;
  framework_experience: string;
  project_goals: string;
  domain: string;
  constraints: string;
  freeform_notes: string;
}

/** Return a profile as a form shows it. */
export function toProfileForm({ preferences, context, freeform_notes }: UserProfile): ProfileForm {
  return {
    coding_style: preferences.coding_style,
    preferred_languages: (preferences.preferred_languages ?? []).join(', '),
    framework_experience: (preferences.framework_experience ?? []).join(', '),
    project_goals: context.project_goals,
    domain: context.domain,
    constraints: context.constraints,
    freeform_notes,
  };
}

/** Return the request for what a form says. */
export function toProfileChange(form: ProfileForm): ProfileChange {
  return {
    preferences: {
      coding_style: form.coding_style,
      preferred_languages: parseNames(form.preferred_languages),
      framework_experience: parseNames(form.framework_experience),
    },
    context: { project_goals: form.project_goals, domain: form.domain, constraints: form.constraints },
    freeform_notes: form.freeform_notes,
  };
}

export const hasSameText = (a: ProfileForm, b: ProfileForm): boolean =>
  JSON.stringify(toProfileChange(a)) === JSON.stringify(toProfileChange(b));

const parseNames = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter(Boolean);
