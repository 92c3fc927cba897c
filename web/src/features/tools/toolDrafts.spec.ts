import { expect, it } from 'vitest';
import { isToolDraft, pathInProject } from './toolDrafts';

it('tells drafts of a conversation from tools of the project', () => {
  expect(isToolDraft('attachments/tools/a/b.py')).toBe(true);
  expect(pathInProject('attachments/tools/a/b.py')).toBe('tools/a/b.py');
  for (const path of ['tools/a.py', 'attachments/a.py', 'attachments/toolsmith.py']) {
    expect(isToolDraft(path)).toBe(false);
    expect(pathInProject(path)).toBe(path);
  }
});
