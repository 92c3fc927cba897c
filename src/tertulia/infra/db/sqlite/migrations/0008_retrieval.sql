-- What can be found: one row for each file and message. This is also the list of what is still to be indexed.
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    source_id TEXT NOT NULL,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
    -- Whose conversation it was said in, while that is private; NULL when every member may find it.
    owner_id TEXT,
    -- A file's path; empty for messages.
    path TEXT NOT NULL DEFAULT '',
    -- What kind of text it is, as the chunker needs to know.
    media TEXT NOT NULL DEFAULT 'text',
    tags TEXT NOT NULL DEFAULT '[]',
    -- Its text is never sent to another server, not even to be embedded.
    local_only INTEGER NOT NULL DEFAULT 0,
    speaker TEXT NOT NULL DEFAULT '',
    round_id TEXT,
    round_number INTEGER,
    said_at INTEGER NOT NULL,
    -- waiting: to be chunked. ready: found by its words. failed: see problem.
    state TEXT NOT NULL,
    problem TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    -- Counts the changes, so that work begun on an earlier one is not written over a later one.
    revision INTEGER NOT NULL DEFAULT 1,
    chunk_count INTEGER NOT NULL DEFAULT 0,
    -- The embedder that has made the vectors of all its chunks.
    embedder TEXT NOT NULL DEFAULT '',
    indexed_at INTEGER,
    UNIQUE (kind, source_id)
);
CREATE INDEX sources_by_project ON sources (project_id);
CREATE INDEX sources_by_conversation ON sources (conversation_id, round_number);
CREATE INDEX sources_waiting ON sources (kind, id) WHERE state = 'waiting';
CREATE INDEX sources_by_embedder ON sources (embedder, kind) WHERE state = 'ready';

CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    source INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    context TEXT NOT NULL,
    summary TEXT NOT NULL,
    content TEXT NOT NULL
);
CREATE INDEX chunks_by_source ON chunks (source, number);

-- Words to chunks, without the text itself. `place` holds who may find it and where, as words of their own.
CREATE VIRTUAL TABLE chunk_words USING fts5 (
    content, keys, place,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks BEGIN
    DELETE FROM chunk_words WHERE rowid = OLD.id;
END;

-- A vector is int8 with a scale; a bank is a place and, for what is private, its owner.
CREATE TABLE vectors (
    embedder TEXT NOT NULL,
    bank TEXT NOT NULL,
    chunk INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    source INTEGER NOT NULL,
    scale REAL NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (embedder, bank, chunk)
) WITHOUT ROWID;
CREATE INDEX vectors_by_chunk ON vectors (chunk);

-- The embedder whose vectors are searched; another one's are being made beside them after a change.
CREATE TABLE serving_embedder (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    name TEXT NOT NULL
);

CREATE TRIGGER file_sources_deleted AFTER DELETE ON files BEGIN
    DELETE FROM sources WHERE kind = 'file' AND source_id = OLD.id;
END;
CREATE TRIGGER message_sources_deleted AFTER DELETE ON messages BEGIN
    DELETE FROM sources WHERE kind = 'message' AND source_id = OLD.id;
END;

CREATE TABLE retrieval_preferences (
    workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    chosen TEXT NOT NULL
);

CREATE TABLE retrieval_metrics (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
    query TEXT NOT NULL,
    purpose TEXT NOT NULL,
    sources TEXT NOT NULL,
    latency TEXT NOT NULL,
    top_scores TEXT NOT NULL,
    flags TEXT NOT NULL,
    hits INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX retrieval_metrics_by_conversation ON retrieval_metrics (conversation_id);
CREATE INDEX retrieval_metrics_by_time ON retrieval_metrics (workspace_id, created_at);

-- What was cited, and what people thought of it: their marks are the regression suite.
ALTER TABLE replies ADD COLUMN passages TEXT NOT NULL DEFAULT '[]';
CREATE TABLE citation_marks (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    reply_id TEXT REFERENCES replies (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    query TEXT NOT NULL,
    kind TEXT NOT NULL,
    source_id TEXT NOT NULL,
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL,
    good INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (user_id, reply_id, number)
);

-- What was said before there was an index is found too. Programs' own conversations are theirs.
INSERT INTO sources (workspace_id, kind, source_id, project_id, conversation_id, owner_id, media, speaker,
    round_id, round_number, said_at, state)
SELECT m.workspace_id, 'message', m.id, c.project_id, m.conversation_id,
    CASE c.visibility WHEN 'workspace' THEN NULL ELSE c.owner_id END, 'markdown', m.speaker,
    m.round_id, r.number, m.created_at, 'waiting'
FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id JOIN rounds AS r ON r.id = m.round_id
WHERE m.content <> '' AND c.origin <> 'api';
