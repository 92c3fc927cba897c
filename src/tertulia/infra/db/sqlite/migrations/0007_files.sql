-- Bytes by their hash: in a workspace the same bytes are stored once.
CREATE TABLE contents (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    -- NULL when they are too large for a row and lie in the blob store.
    data BLOB,
    -- Where they lie there. No two rows ever share a place, so that deleting one takes nothing from another.
    blob TEXT,
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
    -- Whether a person wrote the summary; else it is made anew from each version's text.
    summary_is_own INTEGER NOT NULL DEFAULT 0,
    created_by TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, path)
);
-- The hash comes first: an index that begins with the workspace would be taken for statements it does not help.
CREATE INDEX files_always_in_context ON files (project_id, path) WHERE always_in_context = 1;
CREATE INDEX files_by_content ON files (hash, workspace_id);
CREATE INDEX files_by_text ON files (text_hash, workspace_id);

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
CREATE INDEX file_versions_by_content ON file_versions (hash, workspace_id);

-- What lies in the blob store and belongs to no row any more, until it is deleted there too.
CREATE TABLE unused_blobs (
    place TEXT PRIMARY KEY
);

CREATE VIEW used_contents AS
SELECT workspace_id, hash FROM file_versions
UNION ALL SELECT workspace_id, hash FROM files
UNION ALL SELECT workspace_id, text_hash FROM files;

-- Contents go with the last that uses them, however that went: by itself, with its project or its workspace.
CREATE TRIGGER file_versions_deleted AFTER DELETE ON file_versions BEGIN
    DELETE FROM contents WHERE workspace_id = OLD.workspace_id AND hash = OLD.hash AND NOT EXISTS (
        SELECT 1 FROM used_contents AS u WHERE u.workspace_id = OLD.workspace_id AND u.hash = OLD.hash);
END;
CREATE TRIGGER files_deleted AFTER DELETE ON files BEGIN
    DELETE FROM contents WHERE workspace_id = OLD.workspace_id AND hash IN (OLD.hash, OLD.text_hash)
    AND NOT EXISTS (
        SELECT 1 FROM used_contents AS u WHERE u.workspace_id = OLD.workspace_id AND u.hash = contents.hash);
END;
CREATE TRIGGER files_replaced AFTER UPDATE OF hash, text_hash ON files
WHEN OLD.hash <> NEW.hash OR OLD.text_hash IS NOT NULL BEGIN
    DELETE FROM contents WHERE workspace_id = OLD.workspace_id AND hash IN (OLD.hash, OLD.text_hash)
    AND NOT EXISTS (
        SELECT 1 FROM used_contents AS u WHERE u.workspace_id = OLD.workspace_id AND u.hash = contents.hash);
END;
CREATE TRIGGER contents_deleted AFTER DELETE ON contents WHEN OLD.blob IS NOT NULL BEGIN
    INSERT INTO unused_blobs (place) VALUES (OLD.blob) ON CONFLICT DO NOTHING;
END;
