-- What a project's brief was before, with when, for whom and by whom it was replaced.
CREATE TABLE brief_versions (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    brief TEXT NOT NULL,
    replaced_by TEXT NOT NULL,
    made_by TEXT NOT NULL,
    replaced_at BIGINT NOT NULL
);
CREATE INDEX brief_versions_by_project ON brief_versions (project_id, id);
CREATE INDEX brief_versions_by_workspace ON brief_versions (workspace_id);
