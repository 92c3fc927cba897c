/** Addresses of pages that more than one feature links to. */

/** The address of a file at some of its lines. */
export const fileHref = (projectId: string, fileId: string, from: number, to: number): string =>
  `/projects/${projectId}/files/${fileId}?lines=${from}${to > from ? `-${to}` : ''}`;

/** The address of a conversation at one of its rounds. */
export const roundHref = (conversationId: string, roundId: string): string =>
  `/c/${conversationId}#${roundId}`;

/** The address of a conversation at the round that a message was said in. */
export const messageHref = (conversationId: string, messageId: string): string =>
  `/c/${conversationId}#${messageId}`;

/** The address of one task. */
export const taskHref = (taskId: string): string => `/tasks/${taskId}`;

/** The address of one memory. */
export const memoryHref = (memoryId: string): string => `/memory?id=${memoryId}`;
