"""People, the workspaces they share, what each may do, and how they prove who they are."""
