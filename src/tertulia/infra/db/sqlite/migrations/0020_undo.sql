-- What a person deleted a moment ago and may still restore; a job deletes it for good when that time is over.
CREATE TABLE pending_deletions (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    -- conversation or files
    kind TEXT NOT NULL,
    -- The conversation itself, or the project of the files.
    subject_id TEXT NOT NULL,
    restore_until INTEGER NOT NULL
);

-- A conversation that may still be restored stays where it is, and nobody sees it.
ALTER TABLE conversations ADD COLUMN deleted_at INTEGER;
CREATE VIEW deleted_conversations AS SELECT id FROM conversations WHERE deleted_at IS NOT NULL;
CREATE INDEX conversations_deleted ON conversations (id) WHERE deleted_at IS NOT NULL;
-- Nobody reads on: what is being written there is stopped, in whichever process.
CREATE TRIGGER conversations_hidden AFTER UPDATE OF deleted_at ON conversations WHEN NEW.deleted_at IS NOT NULL
BEGIN
    UPDATE runs SET stop_requested = 1 WHERE conversation_id = NEW.id AND waiting = 0;
END;

-- Files leave their tables at once, with all that goes along; these rows bring them back.
CREATE TABLE held_rows (
    id INTEGER PRIMARY KEY,
    deletion_id TEXT NOT NULL REFERENCES pending_deletions (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    table_name TEXT NOT NULL,
    -- The columns as JSON.
    content TEXT NOT NULL
);
CREATE INDEX held_rows_by_deletion ON held_rows (deletion_id, table_name);
CREATE TABLE held_contents (
    deletion_id TEXT NOT NULL REFERENCES pending_deletions (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (deletion_id, hash)
) WITHOUT ROWID;
CREATE INDEX held_contents_by_content ON held_contents (hash, workspace_id);

DROP VIEW used_contents;
CREATE VIEW used_contents AS
SELECT workspace_id, hash FROM file_versions
UNION ALL SELECT workspace_id, hash FROM files
UNION ALL SELECT workspace_id, text_hash FROM files
UNION ALL SELECT workspace_id, hash FROM held_contents;
CREATE TRIGGER held_contents_deleted AFTER DELETE ON held_contents BEGIN
    DELETE FROM contents WHERE workspace_id = OLD.workspace_id AND hash = OLD.hash AND NOT EXISTS (
        SELECT 1 FROM used_contents AS u WHERE u.workspace_id = OLD.workspace_id AND u.hash = OLD.hash);
END;
