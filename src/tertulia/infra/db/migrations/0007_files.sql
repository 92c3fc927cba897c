-- Bytes by their hash: in a workspace the same bytes are stored once.
CREATE TABLE contents (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    -- NULL when they are too large for a row and lie in the blob store.
    data BLOB,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, hash)
);

CREATE TABLE files (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    version INTEGER NOT NULL,
    hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    mime TEXT NOT NULL,
    media TEXT NOT NULL,
    -- The text taken out of it: the file's own hash where it is text, NULL until that was tried.
    text_hash TEXT,
    -- Where each page, slide or sheet begins in that text.
    pages TEXT NOT NULL DEFAULT '[]',
    -- Why no text, or not all of it, could be had.
    problem TEXT NOT NULL DEFAULT '',
    always_in_context INTEGER NOT NULL DEFAULT 0,
    retrieval_eligible INTEGER NOT NULL DEFAULT 1,
    tool_accessible INTEGER NOT NULL DEFAULT 1,
    local_only INTEGER NOT NULL DEFAULT 0,
    tags TEXT NOT NULL DEFAULT '[]',
    summary TEXT NOT NULL DEFAULT '',
    created_by TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, path)
);
CREATE INDEX files_by_content ON files (workspace_id, hash);
CREATE INDEX files_by_text ON files (workspace_id, text_hash);

CREATE TABLE file_versions (
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    workspace_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    mime TEXT NOT NULL,
    media TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (file_id, version)
);
CREATE INDEX file_versions_by_content ON file_versions (workspace_id, hash);
