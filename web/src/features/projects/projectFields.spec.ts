import { describe, expect, it } from 'vitest';
import type { Project } from '$api/client';
import { changedFields, projectFields, rebaseEdits, toChangeRequest } from './projectFields';

const project: Project = {
  id: 'prj_1',
  name: 'Garden',
  description: '',
  brief: 'Plan a garden house.',
  instructions: '',
  status: 'active',
  settings: {
    default_models: ['a'],
    context_strategy: 'balanced',
    max_context_tokens: 4000,
    context_tools: 'suited',
  },
  is_default: false,
  created_by: 'usr_1',
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
};
const known = projectFields(project);

describe('what is sent', () => {
  it('nothing when nothing was changed', () => {
    expect(changedFields({ ...known, default_models: ['a'] }, known)).toEqual({});
  });

  it('only what was changed, so that another person’s field is left alone', () => {
    const edited = changedFields({ ...known, brief: 'New' }, known);
    expect(toChangeRequest(edited, { ...project, name: 'Renamed meanwhile' })).toEqual({ brief: 'New' });
  });

  it('a setting on the ground of the latest settings', () => {
    const latest: Project = {
      ...project,
      settings: { ...project.settings, context_strategy: 'smart' as const },
    };
    expect(toChangeRequest({ default_models: ['b'] }, latest)).toEqual({
      settings: {
        default_models: ['b'],
        context_strategy: 'smart',
        max_context_tokens: 4000,
        context_tools: 'suited',
      },
    });
  });

  it('a level and the most tokens, and that they are taken back', () => {
    const set = changedFields({ ...known, context_level: 'full', max_context_tokens: 9000 }, known);
    expect(toChangeRequest(set, project).settings).toMatchObject({
      context_level: 'full',
      max_context_tokens: 9000,
    });
    const open = changedFields(
      { ...known, context_level: '', max_context_tokens: null },
      { ...known, ...set },
    );
    expect(toChangeRequest(open, project).settings).toMatchObject({
      context_level: null,
      max_context_tokens: null,
    });
  });

  it('an emptied list of models is a change', () => {
    expect(toChangeRequest({ default_models: [] }, project).settings?.default_models).toEqual([]);
  });
});

describe('after saving', () => {
  it('what was typed meanwhile stays, the rest is the server’s', () => {
    const sent = { ...known, brief: 'One' };
    const now = { ...sent, brief: 'One two' };
    const fresh = { ...sent, name: 'Theirs' };
    expect(rebaseEdits(now, sent, fresh)).toEqual({ ...fresh, brief: 'One two' });
  });
});
