/** What a conversation created. */
import { api, unwrap } from '$api/client';

export const listCreated = (conversation_id: string) =>
  unwrap(api.GET('/api/conversations/{conversation_id}/created', { params: { path: { conversation_id } } }));
