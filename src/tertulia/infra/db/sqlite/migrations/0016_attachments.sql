-- A file belongs to a project at large, or to the one conversation that it was attached to. The table is
-- rebuilt because its paths were unique in a project: now they are so in a project, and in a conversation.
CREATE TABLE new_files (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    -- The conversation that it is attached to, seen with and deleted with; NULL when every member may see it.
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
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
    updated_at INTEGER NOT NULL
);
INSERT INTO new_files SELECT id, workspace_id, project_id, NULL, path, version, hash, size, mime, media,
    text_hash, pages, problem, always_in_context, retrieval_eligible, tool_accessible, local_only, tags,
    summary, summary_is_own, created_by, created_at, updated_at
FROM files;

-- What names the table is taken away while it has none, and made again as it was.
DROP TRIGGER file_versions_deleted;
DROP TRIGGER files_deleted;
DROP TRIGGER files_replaced;
DROP TRIGGER file_sources_deleted;
DROP VIEW used_contents;
DROP TABLE files;
ALTER TABLE new_files RENAME TO files;

CREATE UNIQUE INDEX files_by_path ON files (project_id, path) WHERE conversation_id IS NULL;
CREATE UNIQUE INDEX files_by_conversation ON files (conversation_id, path) WHERE conversation_id IS NOT NULL;
CREATE INDEX files_always_in_context ON files (project_id, path) WHERE always_in_context = 1;
-- Deleting a project looks for all its files, attached or not.
CREATE INDEX files_by_project ON files (project_id);
CREATE INDEX files_by_content ON files (hash, workspace_id);
CREATE INDEX files_by_text ON files (text_hash, workspace_id);

CREATE VIEW used_contents AS
SELECT workspace_id, hash FROM file_versions
UNION ALL SELECT workspace_id, hash FROM files
UNION ALL SELECT workspace_id, text_hash FROM files;
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
CREATE TRIGGER file_sources_deleted AFTER DELETE ON files BEGIN
    DELETE FROM sources WHERE kind = 'file' AND source_id = OLD.id;
END;

-- The app put what was attached to a message into the folder `attachments` of the project and named it in the
-- message. Where nobody but its uploader names such a file, and only in private conversations, it now belongs
-- to those: to the first itself, to each further one as a copy. Where others name it too it stays.
-- A name ends at a blank or at another sign; what ends a sentence may not be part of it.
CREATE TEMP TABLE mentions AS
WITH RECURSIVE after_sign (message_id, rest) AS (
    SELECT id, substr(flat, instr(flat, '#attachments/') + 1) FROM (
        SELECT id, replace(replace(replace(content, char(10), ' '), char(13), ' '), char(9), ' ') || ' ' AS flat
        FROM messages WHERE speaker = 'user' AND instr(content, '#attachments/') > 0)
    UNION ALL
    SELECT message_id, substr(rest, instr(rest, '#attachments/') + 1) FROM after_sign
    WHERE instr(rest, '#attachments/') > 0
)
SELECT message_id, substr(rest, 1, instr(replace(rest, '#', ' '), ' ') - 1) AS name FROM after_sign;
CREATE INDEX temp.mentions_by_message ON mentions (message_id);
CREATE TEMP TABLE named AS
SELECT f.id AS file_id, m.conversation_id, min(m.id) AS message_id,
    c.owner_id = f.created_by AND c.visibility = 'private' AS is_own
FROM files AS f
JOIN conversations AS c ON c.project_id = f.project_id
JOIN messages AS m ON m.conversation_id = c.id AND m.speaker = 'user'
    AND (instr(m.content, '#"' || f.path || '"') > 0 OR EXISTS (
        SELECT 1 FROM mentions AS n WHERE n.message_id = m.id AND f.path IN (n.name, rtrim(n.name, '.,;:!?)'))))
WHERE f.path LIKE 'attachments/%' AND instr(m.content, f.path) > 0
GROUP BY f.id, m.conversation_id;
-- What only its uploader ever wrote and nobody names was never sent, or its conversation is deleted: it goes to
-- a private conversation of the uploader's, unless it was chosen to be in all prompts of the project.
CREATE TEMP TABLE unnamed AS
SELECT id AS file_id, project_id, created_by FROM files AS f
WHERE path LIKE 'attachments/%' AND always_in_context = 0 AND id NOT IN (SELECT file_id FROM named);
CREATE TEMP TABLE shared AS
SELECT file_id FROM named WHERE NOT is_own
UNION SELECT f.id FROM files AS f JOIN file_versions AS v ON v.file_id = f.id WHERE v.created_by <> f.created_by;
DELETE FROM named WHERE file_id IN (SELECT file_id FROM shared);
DELETE FROM unnamed WHERE file_id IN (SELECT file_id FROM shared);
-- Ids begin with the moment of what they are made for, so that they sort among those of that time.
CREATE TEMP TABLE homes AS
SELECT 'cnv_' || substr(max(f.id), 5, 10) || hex(randomblob(8)) AS id, f.workspace_id, f.created_by, f.project_id,
    max(f.created_at) AS created_at
FROM unnamed AS u JOIN files AS f ON f.id = u.file_id GROUP BY f.project_id, f.created_by;
INSERT INTO conversations (id, workspace_id, owner_id, project_id, anchor, anchor_id, title, title_by, visibility,
    created_at, updated_at)
SELECT id, workspace_id, created_by, project_id, 'project', project_id, 'attachments', 'person', 'private',
    created_at, created_at
FROM homes;
INSERT INTO named
SELECT u.file_id, h.id, '', 1 FROM unnamed AS u
JOIN homes AS h ON h.project_id = u.project_id AND h.created_by = u.created_by;
CREATE TEMP TABLE copied AS
SELECT 'fil_' || substr(file_id, 5, 10) || hex(randomblob(8)) AS id, file_id, conversation_id FROM named AS n
WHERE message_id > (SELECT min(o.message_id) FROM named AS o WHERE o.file_id = n.file_id);
DELETE FROM named WHERE (file_id, conversation_id) IN (SELECT file_id, conversation_id FROM copied);

UPDATE files SET conversation_id = n.conversation_id FROM named AS n WHERE n.file_id = files.id;
UPDATE sources SET conversation_id = f.conversation_id, owner_id = f.created_by, state = 'waiting',
    revision = revision + 1
FROM files AS f
WHERE sources.kind = 'file' AND sources.source_id = f.id AND f.conversation_id IS NOT NULL;
INSERT INTO files SELECT c.id, f.workspace_id, f.project_id, c.conversation_id, f.path, f.version, f.hash,
    f.size, f.mime, f.media, f.text_hash, f.pages, f.problem, f.always_in_context, f.retrieval_eligible,
    f.tool_accessible, f.local_only, f.tags, f.summary, f.summary_is_own, f.created_by, f.created_at, f.updated_at
FROM copied AS c JOIN files AS f ON f.id = c.file_id;
INSERT INTO file_versions (file_id, version, workspace_id, hash, size, mime, media, created_by, created_at)
SELECT c.id, v.version, v.workspace_id, v.hash, v.size, v.mime, v.media, v.created_by, v.created_at
FROM copied AS c JOIN file_versions AS v ON v.file_id = c.file_id;
INSERT INTO sources (workspace_id, kind, source_id, project_id, conversation_id, owner_id, path, media, tags,
    local_only, said_at, state)
SELECT s.workspace_id, s.kind, c.id, s.project_id, c.conversation_id, s.owner_id, s.path, s.media, s.tags,
    s.local_only, s.said_at, 'waiting'
FROM copied AS c JOIN sources AS s ON s.kind = 'file' AND s.source_id = c.file_id;
DROP TABLE mentions;
DROP TABLE named;
DROP TABLE unnamed;
DROP TABLE homes;
DROP TABLE shared;
DROP TABLE copied;
