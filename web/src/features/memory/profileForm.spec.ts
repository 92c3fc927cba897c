import { expect, it } from 'vitest';
import { hasSameText, toProfileChange, toProfileForm, type UserProfile } from './profileForm';

const profile: UserProfile = {
  id: 'prf_1',
  preferences: { coding_style: 'Plain', preferred_languages: ['Python', 'Go'], framework_experience: [] },
  context: { project_goals: '', domain: 'Gardens', constraints: '' },
  freeform_notes: 'One\nTwo',
  updated_at: null,
};

it('goes into the form and back as it was', () => {
  const { preferences, context, freeform_notes } = profile;
  expect(toProfileChange(toProfileForm(profile))).toEqual({ preferences, context, freeform_notes });
});

it('takes names apart at commas and lines, however they are written', () => {
  const form = { ...toProfileForm(profile), preferred_languages: ' Python,, Go \nC, ' };
  expect(toProfileChange(form).preferences.preferred_languages).toEqual(['Python', 'Go', 'C']);
});

it('is the same whatever stands around the commas', () => {
  const form = toProfileForm(profile);
  expect(hasSameText(form, { ...form, preferred_languages: 'Python ,Go,' })).toBe(true);
  expect(hasSameText(form, { ...form, domain: 'Boats' })).toBe(false);
});
