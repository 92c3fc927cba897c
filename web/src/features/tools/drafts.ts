/** Tools that a model wrote in a conversation, which wait for a member's yes. */
import { api, need } from '$api/client';

const FOLDER = 'attachments/';

/** Whether a path is that of a tool which only its conversation has. */
export const isDraft = (path: string): boolean => path.startsWith(`${FOLDER}tools/`);

/** The path that a tool has in the project, or will have. */
export const pathInProject = (path: string): string => (isDraft(path) ? path.slice(FOLDER.length) : path);

/** Make the version of a tool that was looked at one of the project, for every member's models. */
export const approve = (project_id: string, file_id: string, version: number) =>
  need(
    api.POST('/api/projects/{project_id}/tools/drafts/{file_id}/approve', {
      params: { path: { project_id, file_id } },
      body: { version },
    }),
  );

/** Delete a tool that nobody wants. */
export const discard = (project_id: string, file_id: string) =>
  need(
    api.DELETE('/api/projects/{project_id}/files/{file_id}', { params: { path: { project_id, file_id } } }),
  );
