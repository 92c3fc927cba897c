/** Tools that a model wrote in a conversation, which wait for a member's yes. */
import { api, unwrap } from '$api/client';

const ATTACHMENTS_PREFIX = 'attachments/';

/** Whether a path is that of a tool which only its conversation has. */
export const isToolDraft = (path: string): boolean => path.startsWith(`${ATTACHMENTS_PREFIX}tools/`);

/** The path that a tool has in the project, or will have. */
export const pathInProject = (path: string): string =>
  isToolDraft(path) ? path.slice(ATTACHMENTS_PREFIX.length) : path;

/** Make the version of a tool that was looked at one of the project, for every member's models. */
export const approveDraft = (project_id: string, file_id: string, version: number) =>
  unwrap(
    api.POST('/api/projects/{project_id}/tools/drafts/{file_id}/approve', {
      params: { path: { project_id, file_id } },
      body: { version },
    }),
  );

/** Delete a tool that nobody wants. */
export const discardDraft = (project_id: string, file_id: string) =>
  unwrap(
    api.DELETE('/api/projects/{project_id}/files/{file_id}', { params: { path: { project_id, file_id } } }),
  );
