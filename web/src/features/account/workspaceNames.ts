/** What is said before an account is deleted. */
import type { Schemas } from '$api/client';

/** Name workspaces in a sentence; empty when there are none. */
export function listWorkspaceNames(workspaces: readonly Schemas['WorkspaceRef'][]): string {
  return new Intl.ListFormat('en').format(workspaces.map((workspace) => workspace.name));
}
