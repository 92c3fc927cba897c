-- An account that was deleted keeps its id alone, for what its person shared with others.
ALTER TABLE users ADD COLUMN deleted_at BIGINT;

-- What was deleted since the database was last compacted: no names, only that there was something.
CREATE TABLE deletions (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE TRIGGER conversations_to_compact AFTER DELETE ON conversations BEGIN
    INSERT INTO deletions (kind, at) VALUES ('conversation', CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER contents_to_compact AFTER DELETE ON contents WHEN OLD.data IS NOT NULL BEGIN
    INSERT INTO deletions (kind, at) VALUES ('content', CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER files_to_compact AFTER DELETE ON files BEGIN
    INSERT INTO deletions (kind, at) VALUES ('file', CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER projects_to_compact AFTER DELETE ON projects BEGIN
    INSERT INTO deletions (kind, at) VALUES ('project', CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER workspaces_to_compact AFTER DELETE ON workspaces BEGIN
    INSERT INTO deletions (kind, at) VALUES ('workspace', CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER accounts_to_compact AFTER UPDATE OF deleted_at ON users BEGIN
    INSERT INTO deletions (kind, at) VALUES ('account', CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
-- Whatever was deleted before deleted rows were overwritten.
INSERT INTO deletions (kind, at)
SELECT 'earlier', CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE EXISTS (SELECT 1 FROM users);

-- Tables that name a workspace or a conversation without a foreign key go with it all the same.
CREATE TRIGGER workspace_data_deleted AFTER DELETE ON workspaces BEGIN
    DELETE FROM connections WHERE workspace_id = OLD.id;
    DELETE FROM offered_models WHERE workspace_id = OLD.id;
    DELETE FROM presets WHERE workspace_id = OLD.id;
    DELETE FROM token_ratios WHERE workspace_id = OLD.id;
    DELETE FROM jobs WHERE json_extract(payload, '$.workspace_id') = OLD.id;
END;
CREATE TRIGGER conversation_data_deleted AFTER DELETE ON conversations BEGIN
    DELETE FROM topics WHERE topic = OLD.id;
    DELETE FROM jobs WHERE json_extract(payload, '$.conversation_id') = OLD.id;
END;
-- A member's feed tells the titles of their conversations.
CREATE TRIGGER member_feed_deleted AFTER DELETE ON members BEGIN
    DELETE FROM topics WHERE topic = OLD.workspace_id || '/' || OLD.user_id;
END;
-- Entries of a connection's list of models.
CREATE TRIGGER connection_data_deleted AFTER DELETE ON connections BEGIN
    DELETE FROM offered_models WHERE connection_id = OLD.id AND workspace_id = OLD.workspace_id;
END;

-- What somebody searched for by hand belongs to no conversation that it could go with.
UPDATE retrieval_metrics SET query = '' WHERE conversation_id IS NULL;
CREATE INDEX retrieval_metrics_by_person ON retrieval_metrics (user_id);
CREATE INDEX citation_marks_by_reply ON citation_marks (reply_id);
