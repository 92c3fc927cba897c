/** The text of a passage, fetched when somebody wants to read it. */
import { api, unwrap } from '$api/client';
import type { Passage } from './sourceLocation';

/** Fetch what a passage says, as it is now. */
export const fetchPassageText = (passage: Passage): Promise<string> =>
  passage.kind === 'file' ? ofFile(passage) : ofMessage(passage);

async function ofFile({ project_id, source_id, start_line, end_line }: Passage): Promise<string> {
  const path = { project_id: project_id ?? '', file_id: source_id };
  const found = await unwrap(
    api.GET('/api/projects/{project_id}/files/{file_id}', {
      params: { path, query: { start_line, end_line } },
    }),
  );
  return found.content ?? '';
}

async function ofMessage({ conversation_id, source_id, start_char, end_char }: Passage): Promise<string> {
  const path = { conversation_id: conversation_id ?? '' };
  // Messages are listed by id: what comes after the beginning of an id is the message itself.
  const query = { after: source_id.slice(0, -1), limit: 40 };
  const page = await unwrap(
    api.GET('/api/conversations/{conversation_id}/messages', { params: { path, query } }),
  );
  const content = page.messages.find(({ id }) => id === source_id)?.content ?? '';
  // Places count characters, of which one may take two of JavaScript's units.
  return [...content].slice(start_char, end_char).join('');
}
