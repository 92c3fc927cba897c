-- The schema as SQLite's migrations leave it at the same number; from here on every change comes as a pair.
-- Columns hold what they hold there: moments as milliseconds, structures as JSON text, claims as 0 or 1.
-- A test compares both schemas table by table and says what is meant to differ.


-- People, the workspaces they belong to, and what they prove themselves with.

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE CHECK (email = lower(email)),
    name TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
    created_at BIGINT NOT NULL,
    -- An account that was deleted keeps its id alone, for what its person shared with others.
    deleted_at BIGINT
);

CREATE TABLE workspaces (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE members (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
    status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
    joined_at BIGINT NOT NULL,
    -- A ULID from the sequence of the ids: the order in which they joined, whatever the clock says.
    sort_key TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX members_by_user ON members (user_id);

-- A credential acts for a membership and goes with it.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- The order of their last use.
    sort_key TEXT NOT NULL DEFAULT '',
    FOREIGN KEY (workspace_id, user_id) REFERENCES members (workspace_id, user_id) ON DELETE CASCADE
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_member ON sessions (workspace_id, user_id);

CREATE TABLE api_tokens (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    expires_at BIGINT,
    FOREIGN KEY (workspace_id, user_id) REFERENCES members (workspace_id, user_id) ON DELETE CASCADE
);
CREATE INDEX api_tokens_by_user ON api_tokens (user_id);
CREATE INDEX api_tokens_by_member ON api_tokens (workspace_id, user_id);

-- Links that work once: to set the server up, to join a workspace, to choose a new password.
CREATE TABLE links (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    purpose TEXT NOT NULL CHECK (purpose IN ('setup', 'invite', 'reset')),
    workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
    role TEXT CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
    email TEXT,
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    made_by TEXT REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX links_by_workspace ON links (workspace_id);
CREATE INDEX links_by_user ON links (user_id);
CREATE INDEX links_by_maker ON links (made_by);

-- One row for each thing an attempt counts against: the account and the address. Keys are digests.
CREATE TABLE sign_in_attempts (
    attempt_id TEXT NOT NULL,
    key TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (attempt_id, key)
);
CREATE INDEX sign_in_attempts_by_key ON sign_in_attempts (key, at);
CREATE INDEX sign_in_attempts_by_time ON sign_in_attempts (at);

-- Only ever appended to, and without foreign keys: what happened stays true when those it names are gone.
CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    workspace_id TEXT,
    at BIGINT NOT NULL,
    actor_id TEXT NOT NULL,
    action TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX audit_by_workspace ON audit (workspace_id, id);


-- Models.

-- Where models are asked. A row with a user is that person's own; without, the workspace's.
CREATE TABLE connections (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    user_id TEXT,
    kind TEXT NOT NULL,
    slug TEXT NOT NULL,
    base_url TEXT NOT NULL,
    sealed_key TEXT,
    key_tail TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX connections_slug ON connections (workspace_id, coalesce(user_id, ''), slug);

-- The last list each connection gave, so that an unreachable server's models still show.
-- An empty workspace means the server's own connections, from its environment.
CREATE TABLE offered_models (
    connection_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    models TEXT NOT NULL,
    fetched_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, connection_id)
);

-- Named tables of several models.
CREATE TABLE presets (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    name TEXT NOT NULL,
    models TEXT NOT NULL,
    merge_model TEXT,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- How long each model should think, beside its models; empty: as they like.
    efforts TEXT NOT NULL DEFAULT '[]'
);
CREATE UNIQUE INDEX presets_name ON presets (workspace_id, name);

-- The servers that a preset names although its author removed them, and that only they could ask: what a preset
-- of a deleted account must not go on naming.
CREATE TABLE preset_removed_servers (
    preset_id TEXT NOT NULL REFERENCES presets (id) ON DELETE CASCADE,
    slug TEXT NOT NULL,
    PRIMARY KEY (preset_id, slug)
);

-- How many tokens a model reports for each one that we count, where its vocabulary is not known.
CREATE TABLE token_ratios (
    workspace_id TEXT NOT NULL,
    model TEXT NOT NULL,
    ratio DOUBLE PRECISION NOT NULL,
    samples BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, model)
);


-- Events and jobs.

-- A topic's numbering outlives its events, which are pruned once nobody can need them.
CREATE TABLE topics (
    topic TEXT PRIMARY KEY,
    last_seq BIGINT NOT NULL
);

CREATE TABLE events (
    topic TEXT NOT NULL REFERENCES topics (topic) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (topic, seq)
);

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    -- Work that is already waiting under the same key is not queued again.
    key TEXT NOT NULL UNIQUE,
    payload TEXT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    run_at BIGINT NOT NULL,
    worker TEXT,
    lease_until BIGINT,
    failed_at BIGINT,
    error TEXT,
    created_at BIGINT NOT NULL,
    wait_ms BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX jobs_due ON jobs (run_at) WHERE failed_at IS NULL;


-- Projects and conversations.

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    brief TEXT NOT NULL DEFAULT '',
    instructions TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT 'active',
    settings TEXT NOT NULL DEFAULT '{}',
    is_default BIGINT NOT NULL DEFAULT 0,
    created_by TEXT NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX projects_by_workspace ON projects (workspace_id, updated_at DESC);
CREATE UNIQUE INDEX projects_one_default ON projects (workspace_id) WHERE is_default = 1;

CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    owner_id TEXT NOT NULL REFERENCES users (id),
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    anchor TEXT NOT NULL,
    anchor_id TEXT,
    origin TEXT NOT NULL DEFAULT 'app',
    title TEXT,
    title_by TEXT NOT NULL DEFAULT 'nobody',
    visibility TEXT NOT NULL DEFAULT 'private',
    instructions TEXT NOT NULL DEFAULT '',
    -- The round at the end of the branch that is shown.
    head_id TEXT,
    round_count BIGINT NOT NULL DEFAULT 0,
    archived_at BIGINT,
    pinned_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- What it wants of its prompts, where that differs from its project's wish.
    context TEXT NOT NULL DEFAULT '{}',
    -- How many of its calls of tools wait for a person, so that lists can say so.
    waiting BIGINT NOT NULL DEFAULT 0,
    -- One that may still be restored stays where it is, and nobody sees it.
    deleted_at BIGINT,
    -- Its place in lists of the latest used: a ULID from the sequence of the ids, which grows with every use.
    sort_key TEXT NOT NULL DEFAULT ''
);
CREATE INDEX conversations_by_owner ON conversations (workspace_id, owner_id, sort_key);
CREATE INDEX conversations_by_project ON conversations (project_id, workspace_id, sort_key);
CREATE INDEX conversations_by_workspace ON conversations (workspace_id, sort_key);
CREATE INDEX conversations_deleted ON conversations (id) WHERE deleted_at IS NOT NULL;

-- Views are read with the rights of whoever asks, so that row-level security holds in them too.
CREATE VIEW deleted_conversations WITH (security_invoker = true) AS
SELECT id FROM conversations WHERE deleted_at IS NOT NULL;

CREATE TABLE rounds (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    -- Rounds with the same parent are branches of one another.
    parent_id TEXT REFERENCES rounds (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    policy TEXT NOT NULL,
    author_id TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX rounds_by_conversation ON rounds (conversation_id, number, id);
CREATE INDEX rounds_by_parent ON rounds (parent_id);

-- Write-once: a row is never changed after it was added.
CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    round_id TEXT NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
    parent_id TEXT,
    speaker TEXT NOT NULL,
    content TEXT NOT NULL,
    thinking TEXT NOT NULL DEFAULT '',
    attachments TEXT NOT NULL DEFAULT '[]',
    created_at BIGINT NOT NULL
);
CREATE INDEX messages_by_round ON messages (round_id);
CREATE INDEX messages_by_conversation ON messages (conversation_id, id);

-- What people say of a message: it is always shown to models, never, or only to local ones.
CREATE TABLE message_marks (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    mark TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (message_id, mark)
);
CREATE INDEX message_marks_by_conversation ON message_marks (conversation_id, mark);

-- A reply is a message under way, and afterwards what is known of how it came to be.
CREATE TABLE replies (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    round_id TEXT NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
    lane TEXT NOT NULL,
    model TEXT NOT NULL,
    kind TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    continues TEXT,
    effort TEXT,
    temperature DOUBLE PRECISION,
    output_limit BIGINT,
    status TEXT NOT NULL,
    error TEXT,
    usage TEXT,
    cost DOUBLE PRECISION,
    tool_calls TEXT NOT NULL DEFAULT '[]',
    first_seq BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    first_token_at BIGINT,
    finished_at BIGINT,
    -- What was cited.
    passages TEXT NOT NULL DEFAULT '[]',
    -- Items of an earlier prompt that a person wants left out of this one.
    leave_out TEXT NOT NULL DEFAULT '[]',
    -- Notes from the person to a model at work, and whether it has read them.
    notes TEXT NOT NULL DEFAULT '[]',
    -- Why a reply came to be as it is, where a person should know: a limit was reached.
    notice TEXT NOT NULL DEFAULT ''
);
CREATE INDEX replies_by_round ON replies (round_id);
CREATE INDEX replies_by_conversation ON replies (conversation_id) WHERE status IN ('queued', 'running');

CREATE TABLE attachments (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    mime TEXT NOT NULL,
    size BIGINT NOT NULL,
    data BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX attachments_by_conversation ON attachments (conversation_id);

-- Programs that speak OpenAI's format send the whole transcript each time: what was asked so far tells
-- which round it went on from.
CREATE TABLE transcripts (
    round_id TEXT PRIMARY KEY REFERENCES rounds (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    answer TEXT
);
CREATE INDEX transcripts_by_fingerprint ON transcripts (user_id, fingerprint);


-- Turns: what runs, and what it costs.

-- A reply that is being produced: who works on it, until when that is sure, and what it may cost.
CREATE TABLE runs (
    reply_id TEXT PRIMARY KEY REFERENCES replies (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    worker TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    stop_requested BIGINT NOT NULL DEFAULT 0,
    reserved DOUBLE PRECISION NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    -- A run that waits for a person is nobody's to take over.
    waiting BIGINT NOT NULL DEFAULT 0,
    -- What is needed to say what a reply cost when the server dies in the middle of it.
    asked_tokens BIGINT NOT NULL DEFAULT 0,
    prices TEXT,
    -- The person who asked pays: the workspace's limit does not count it.
    personal BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX runs_by_person ON runs (workspace_id, user_id);
CREATE INDEX runs_by_worker ON runs (worker);

-- What was spent stays known after the conversation is gone: no text, only figures.
CREATE TABLE spending (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    project_id TEXT,
    conversation_id TEXT NOT NULL,
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    input BIGINT NOT NULL,
    output BIGINT NOT NULL,
    cached BIGINT NOT NULL,
    cost DOUBLE PRECISION NOT NULL,
    estimated BIGINT NOT NULL,
    at BIGINT NOT NULL,
    personal BIGINT NOT NULL DEFAULT 0,
    -- What limits count: at least what the provider may bill, where `cost` is what is known.
    counted DOUBLE PRECISION NOT NULL DEFAULT 0
);
CREATE INDEX spending_by_workspace ON spending (workspace_id, at);
CREATE INDEX spending_by_person ON spending (workspace_id, user_id, at);

-- A request that starts paid work, by the key that its sender gave it: sent again, it gets the same answer.
CREATE TABLE idempotency_keys (
    workspace_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    -- The ids of what the request made.
    made TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, user_id, key)
);
CREATE INDEX idempotency_keys_by_conversation ON idempotency_keys (conversation_id);


-- Files.

-- Bytes by their hash: in a workspace the same bytes are stored once.
CREATE TABLE contents (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    size BIGINT NOT NULL,
    -- NULL when they are too large for a row and lie in the blob store.
    data BYTEA,
    -- Where they lie there. No two rows ever share a place, so that deleting one takes nothing from another.
    blob TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, hash)
);

-- A file belongs to a project at large, or to the one conversation that it was attached to.
CREATE TABLE files (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    -- The conversation that it is attached to, seen with and deleted with; NULL when every member may see it.
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    version BIGINT NOT NULL,
    hash TEXT NOT NULL,
    size BIGINT NOT NULL,
    mime TEXT NOT NULL,
    media TEXT NOT NULL,
    -- The text taken out of it: the file's own hash where it is text, NULL until that was tried.
    text_hash TEXT,
    -- Where each page, slide or sheet begins in that text.
    pages TEXT NOT NULL DEFAULT '[]',
    -- Why no text, or not all of it, could be had.
    problem TEXT NOT NULL DEFAULT '',
    always_in_context BIGINT NOT NULL DEFAULT 0,
    retrieval_eligible BIGINT NOT NULL DEFAULT 1,
    tool_accessible BIGINT NOT NULL DEFAULT 1,
    local_only BIGINT NOT NULL DEFAULT 0,
    tags TEXT NOT NULL DEFAULT '[]',
    summary TEXT NOT NULL DEFAULT '',
    -- Whether a person wrote the summary; else it is made anew from each version's text.
    summary_is_own BIGINT NOT NULL DEFAULT 0,
    created_by TEXT NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX files_by_path ON files (project_id, path) WHERE conversation_id IS NULL;
CREATE UNIQUE INDEX files_by_conversation ON files (conversation_id, path) WHERE conversation_id IS NOT NULL;
CREATE INDEX files_always_in_context ON files (project_id, path) WHERE always_in_context = 1;
-- Deleting a project looks for all its files, attached or not.
CREATE INDEX files_by_project ON files (project_id);
CREATE INDEX files_by_content ON files (hash, workspace_id);
CREATE INDEX files_by_text ON files (text_hash, workspace_id);

CREATE TABLE file_versions (
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    version BIGINT NOT NULL,
    workspace_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    size BIGINT NOT NULL,
    mime TEXT NOT NULL,
    media TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (file_id, version)
);
CREATE INDEX file_versions_by_content ON file_versions (hash, workspace_id);

-- What lies in the blob store and belongs to no row any more, until it is deleted there too.
CREATE TABLE unused_blobs (
    place TEXT PRIMARY KEY
);


-- Deleting with an undo.

-- What a person deleted a moment ago and may still restore; a job deletes it for good when that time is over.
CREATE TABLE pending_deletions (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    -- conversation or files
    kind TEXT NOT NULL,
    -- The conversation itself, or the project of the files.
    subject_id TEXT NOT NULL,
    restore_until_uptime BIGINT NOT NULL,
    window_ms BIGINT NOT NULL DEFAULT 0
);

-- Files leave their tables at once, with all that goes along; these rows bring them back.
CREATE TABLE held_rows (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    deletion_id TEXT NOT NULL REFERENCES pending_deletions (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    table_name TEXT NOT NULL,
    -- The columns as JSON.
    content TEXT NOT NULL,
    -- The id of the row, where it has one.
    row_id TEXT
);
CREATE INDEX held_rows_by_deletion ON held_rows (deletion_id, table_name);
CREATE INDEX held_rows_by_row ON held_rows (table_name, row_id);

CREATE TABLE held_contents (
    deletion_id TEXT NOT NULL REFERENCES pending_deletions (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (deletion_id, hash)
);
CREATE INDEX held_contents_by_content ON held_contents (hash, workspace_id);

CREATE VIEW used_contents WITH (security_invoker = true) AS
SELECT workspace_id, hash FROM file_versions
UNION ALL SELECT workspace_id, hash FROM files
UNION ALL SELECT workspace_id, text_hash FROM files
UNION ALL SELECT workspace_id, hash FROM held_contents;


-- Retrieval.

CREATE EXTENSION IF NOT EXISTS vector;
-- Porter's stems as FTS5 makes them, and no stop words; words come split and folded, so every kind takes it.
CREATE TEXT SEARCH DICTIONARY tertulia_stems (TEMPLATE = snowball, LANGUAGE = porter);
CREATE TEXT SEARCH CONFIGURATION tertulia (PARSER = pg_catalog."default");
ALTER TEXT SEARCH CONFIGURATION tertulia ADD MAPPING FOR asciiword, word, numword, asciihword, hword, numhword,
    hword_asciipart, hword_part, hword_numpart, email, protocol, url, host, url_path, file, sfloat, float, int,
    uint, version, tag, entity WITH tertulia_stems;

-- What can be found: one row for each file and message. This is also the list of what is still to be indexed.
CREATE TABLE sources (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
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
    local_only BIGINT NOT NULL DEFAULT 0,
    speaker TEXT NOT NULL DEFAULT '',
    round_id TEXT,
    round_number BIGINT,
    said_at BIGINT NOT NULL,
    -- waiting: to be chunked. ready: found by its words. failed: see problem.
    state TEXT NOT NULL,
    problem TEXT NOT NULL DEFAULT '',
    attempts BIGINT NOT NULL DEFAULT 0,
    -- Counts the changes, so that work begun on an earlier one is not written over a later one.
    revision BIGINT NOT NULL DEFAULT 1,
    chunk_count BIGINT NOT NULL DEFAULT 0,
    -- The embedder that has made the vectors of all its chunks.
    embedder TEXT NOT NULL DEFAULT '',
    indexed_at BIGINT,
    UNIQUE (kind, source_id)
);
CREATE INDEX sources_by_project ON sources (project_id);
CREATE INDEX sources_by_conversation ON sources (conversation_id, round_number);
CREATE INDEX sources_waiting ON sources (kind, id) WHERE state = 'waiting';
CREATE INDEX sources_by_embedder ON sources (embedder, kind) WHERE state = 'ready';

CREATE TABLE chunks (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    source BIGINT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    start_line BIGINT NOT NULL,
    end_line BIGINT NOT NULL,
    start_char BIGINT NOT NULL,
    end_char BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    context TEXT NOT NULL,
    summary TEXT NOT NULL,
    content TEXT NOT NULL
);
CREATE INDEX chunks_by_source ON chunks (source, number);

-- The words of each chunk, as stems with their positions.
CREATE TABLE chunk_words (
    chunk BIGINT PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    words TSVECTOR NOT NULL
);
CREATE INDEX chunk_words_by_word ON chunk_words USING gin (words) WITH (fastupdate = off);

-- A vector is int8 with a scale; a bank is a place and, for what is private, its owner.
CREATE TABLE vectors (
    embedder TEXT NOT NULL,
    bank TEXT NOT NULL,
    chunk BIGINT NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    source BIGINT NOT NULL,
    scale DOUBLE PRECISION NOT NULL,
    body BYTEA NOT NULL,
    -- The same as pgvector searches it, made from scale and body.
    meaning halfvec,
    PRIMARY KEY (embedder, bank, chunk)
);
CREATE INDEX vectors_by_chunk ON vectors (chunk);

-- The embedder whose vectors are searched; another one's are being made beside them after a change.
CREATE TABLE serving_embedder (
    "only" BIGINT PRIMARY KEY CHECK ("only" = 1),
    name TEXT NOT NULL
);

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
    hits BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX retrieval_metrics_by_conversation ON retrieval_metrics (conversation_id);
CREATE INDEX retrieval_metrics_by_time ON retrieval_metrics (workspace_id, created_at);
CREATE INDEX retrieval_metrics_by_person ON retrieval_metrics (user_id);

-- What people thought of what was cited: their marks are the regression suite.
CREATE TABLE citation_marks (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    reply_id TEXT REFERENCES replies (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    query TEXT NOT NULL,
    kind TEXT NOT NULL,
    source_id TEXT NOT NULL,
    start_char BIGINT NOT NULL,
    end_char BIGINT NOT NULL,
    good BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (user_id, reply_id, number)
);
CREATE INDEX citation_marks_by_reply ON citation_marks (reply_id);


-- Context: what models were shown.

-- Versions of what is known of a conversation. The newest that was not undone is in force on every branch
-- that goes through `round_id`, the last round that it covers.
CREATE TABLE summaries (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    round_id TEXT NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
    round_number BIGINT NOT NULL,
    -- Rounds up to this number are shown to models by these points alone; 0 where all may be shown.
    watermark BIGINT NOT NULL,
    points TEXT NOT NULL,
    made_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    undone_at BIGINT,
    -- The order in which they were undone.
    undo_sort_key TEXT NOT NULL DEFAULT ''
);
CREATE INDEX summaries_by_conversation ON summaries (conversation_id, id);

-- What one model was shown for one reply. Messages are never copied; other texts are kept once a conversation.
CREATE TABLE receipts (
    reply_id TEXT PRIMARY KEY REFERENCES replies (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    plan TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX receipts_by_conversation ON receipts (conversation_id);

CREATE TABLE receipt_texts (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    -- A text that came from a file goes with it.
    file_id TEXT REFERENCES files (id) ON DELETE CASCADE,
    body TEXT NOT NULL,
    PRIMARY KEY (conversation_id, hash)
);
CREATE INDEX receipt_texts_by_file ON receipt_texts (file_id);

-- Which replies have headings of a file among their passages: those are the file's own words, and go with it.
CREATE TABLE reply_headings (
    file_id TEXT NOT NULL,
    reply_id TEXT NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
    PRIMARY KEY (file_id, reply_id)
);
CREATE INDEX reply_headings_by_reply ON reply_headings (reply_id);


-- Tools.

-- Every call of a tool, written down before it runs: a crash leaves no side effect that nobody knows of.
CREATE TABLE tool_runs (
    reply_id TEXT NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
    -- What the model calls it, made unique within the reply.
    id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    project_id TEXT,
    user_id TEXT NOT NULL,
    model TEXT NOT NULL,
    step BIGINT NOT NULL,
    place BIGINT NOT NULL,
    -- How many characters of the reply were written before.
    at BIGINT NOT NULL,
    name TEXT NOT NULL,
    arguments TEXT NOT NULL,
    effect TEXT NOT NULL,
    -- waiting: for a person's yes. unknown: the server stopped while it ran.
    status TEXT NOT NULL,
    result TEXT NOT NULL DEFAULT '',
    local_only BIGINT NOT NULL DEFAULT 0,
    ms BIGINT,
    attachments TEXT NOT NULL DEFAULT '[]',
    saved TEXT NOT NULL DEFAULT '[]',
    decided_by TEXT,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    ended_at BIGINT,
    -- What it gave besides words: tables for people.
    tables TEXT NOT NULL DEFAULT '[]',
    -- Characters of all that it gave.
    length BIGINT NOT NULL DEFAULT 0,
    -- A person changed the arguments that the model wrote.
    changed BIGINT NOT NULL DEFAULT 0,
    -- Other conversations that the result quotes: it is read by those alone who may open all of them.
    quotes TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (reply_id, id)
);
CREATE INDEX tool_runs_by_name ON tool_runs (workspace_id, name, created_at);
CREATE INDEX tool_runs_by_conversation ON tool_runs (conversation_id);
CREATE INDEX tool_runs_waiting ON tool_runs (expires_at) WHERE status = 'waiting';

-- Results that were too long for a prompt, whole.
CREATE TABLE tool_results (
    reply_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (reply_id, call_id),
    FOREIGN KEY (reply_id, call_id) REFERENCES tool_runs (reply_id, id) ON DELETE CASCADE
);

-- Files and other conversations that the result of a call quotes: what was quoted is deleted with any of them.
CREATE TABLE tool_sources (
    source_id TEXT NOT NULL,
    reply_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    is_deleted BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (source_id, reply_id, call_id),
    FOREIGN KEY (reply_id, call_id) REFERENCES tool_runs (reply_id, id) ON DELETE CASCADE
);
CREATE INDEX tool_sources_by_call ON tool_sources (reply_id, call_id);

-- What a model said before it called tools, as its provider wants it back: so a reply that waits can go on.
CREATE TABLE tool_steps (
    reply_id TEXT NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
    step BIGINT NOT NULL,
    workspace_id TEXT NOT NULL,
    text TEXT NOT NULL,
    thought TEXT NOT NULL,
    PRIMARY KEY (reply_id, step)
);

-- Tools that a person has allowed for good: everywhere, or in one conversation.
CREATE TABLE tool_grants (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
    tool TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX tool_grants_once ON tool_grants (workspace_id, user_id, tool, coalesce(conversation_id, ''));

-- Servers that offer tools over MCP: a command that we run, or an address that we ask.
CREATE TABLE tool_servers (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    -- Stands before the names of its tools.
    slug TEXT NOT NULL,
    transport TEXT NOT NULL,
    command TEXT NOT NULL DEFAULT '',
    arguments TEXT NOT NULL DEFAULT '[]',
    url TEXT NOT NULL DEFAULT '',
    -- Environment variables or headers, sealed as one; only their names are shown.
    sealed TEXT,
    secret_names TEXT NOT NULL DEFAULT '[]',
    enabled BIGINT NOT NULL DEFAULT 1,
    -- The tools that may be used; null for all.
    allowed TEXT,
    -- What the server listed last, so that nobody waits for it before a question is asked.
    tools TEXT NOT NULL DEFAULT '[]',
    listed_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX tool_servers_slug ON tool_servers (workspace_id, slug);

-- Web services that an OpenAPI document describes.
CREATE TABLE http_tools (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    slug TEXT NOT NULL,
    title TEXT NOT NULL,
    base_url TEXT NOT NULL,
    -- Where the secret goes: none, bearer, header or query.
    auth TEXT NOT NULL,
    auth_name TEXT NOT NULL DEFAULT '',
    sealed TEXT,
    secret_tail TEXT NOT NULL DEFAULT '',
    enabled BIGINT NOT NULL DEFAULT 1,
    -- The operations that may be used; nothing may until somebody says so.
    allowed TEXT NOT NULL DEFAULT '[]',
    operations TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX http_tools_slug ON http_tools (workspace_id, slug);

-- What a workspace says about single tools, ours too: whether they are on, and what they count as.
CREATE TABLE tool_switches (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    enabled BIGINT NOT NULL,
    -- read or side; null for what the tool itself says.
    effect TEXT,
    PRIMARY KEY (workspace_id, name)
);

-- Which model wrote a version of a tool for whom, and who used it.
CREATE TABLE tool_uses (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    version BIGINT NOT NULL,
    -- wrote or used
    kind TEXT NOT NULL,
    -- Where it was used: an error may quote what was said there, and goes with it.
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    model TEXT NOT NULL,
    failed BIGINT NOT NULL,
    error TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX tool_uses_by_file ON tool_uses (file_id, kind, created_at);
CREATE INDEX tool_uses_by_conversation ON tool_uses (conversation_id);


-- What goes with what, where no foreign key can say so. Rows that cascade away are gone when these run.

-- Contents go with the last that uses them, however that went: by itself, with its project or its workspace.
CREATE FUNCTION delete_unused_contents(workspace TEXT, VARIADIC hashes TEXT []) RETURNS void LANGUAGE sql
BEGIN ATOMIC
    DELETE FROM contents WHERE workspace_id = workspace AND hash = ANY (hashes) AND NOT EXISTS (
        SELECT 1 FROM used_contents AS u WHERE u.workspace_id = workspace AND u.hash = contents.hash);
END;

CREATE FUNCTION hash_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM delete_unused_contents(OLD.workspace_id, OLD.hash);
    RETURN NULL;
END $$;
CREATE TRIGGER file_versions_deleted AFTER DELETE ON file_versions FOR EACH ROW EXECUTE FUNCTION hash_deleted();
CREATE TRIGGER held_contents_deleted AFTER DELETE ON held_contents FOR EACH ROW EXECUTE FUNCTION hash_deleted();

CREATE FUNCTION file_hashes_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM delete_unused_contents(OLD.workspace_id, OLD.hash, OLD.text_hash);
    RETURN NULL;
END $$;
CREATE TRIGGER files_deleted AFTER DELETE ON files FOR EACH ROW EXECUTE FUNCTION file_hashes_deleted();
CREATE TRIGGER files_replaced AFTER UPDATE OF hash, text_hash ON files FOR EACH ROW
WHEN (OLD.hash <> NEW.hash OR OLD.text_hash IS NOT NULL) EXECUTE FUNCTION file_hashes_deleted();

CREATE FUNCTION contents_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO unused_blobs (place) VALUES (OLD.blob) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER contents_deleted AFTER DELETE ON contents FOR EACH ROW
WHEN (OLD.blob IS NOT NULL) EXECUTE FUNCTION contents_deleted();

-- What was found goes with what it was found in.
CREATE FUNCTION source_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM sources WHERE kind = TG_ARGV[0] AND source_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER file_sources_deleted AFTER DELETE ON files FOR EACH ROW
EXECUTE FUNCTION source_deleted('file');
CREATE TRIGGER message_sources_deleted AFTER DELETE ON messages FOR EACH ROW
EXECUTE FUNCTION source_deleted('message');

-- Tables that name a workspace or a conversation without a foreign key go with it all the same.
CREATE FUNCTION workspace_data_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM connections WHERE workspace_id = OLD.id;
    DELETE FROM offered_models WHERE workspace_id = OLD.id;
    DELETE FROM presets WHERE workspace_id = OLD.id;
    DELETE FROM token_ratios WHERE workspace_id = OLD.id;
    DELETE FROM jobs WHERE payload::json ->> 'workspace_id' = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER workspace_data_deleted AFTER DELETE ON workspaces FOR EACH ROW
EXECUTE FUNCTION workspace_data_deleted();

CREATE FUNCTION workspace_feeds_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM topics WHERE topic > OLD.id || '/' AND topic < OLD.id || '0';
    RETURN NULL;
END $$;
CREATE TRIGGER workspace_feeds_deleted AFTER DELETE ON workspaces FOR EACH ROW
EXECUTE FUNCTION workspace_feeds_deleted();

CREATE FUNCTION conversation_data_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM topics WHERE topic = OLD.id;
    DELETE FROM jobs WHERE payload::json ->> 'conversation_id' = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER conversation_data_deleted AFTER DELETE ON conversations FOR EACH ROW
EXECUTE FUNCTION conversation_data_deleted();

-- Nobody reads on: what is being written there is stopped, in whichever process.
CREATE FUNCTION conversations_hidden() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE runs SET stop_requested = 1 WHERE conversation_id = NEW.id AND waiting = 0;
    RETURN NULL;
END $$;
CREATE TRIGGER conversations_hidden AFTER UPDATE OF deleted_at ON conversations FOR EACH ROW
WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION conversations_hidden();

-- A member's feed tells the titles of their conversations. Somebody who comes back may have the number of an
-- event of it: the numbers go on, and one is left out, so that they are told to fetch everything anew.
CREATE FUNCTION member_feed_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM events WHERE topic = OLD.workspace_id || '/' || OLD.user_id;
    INSERT INTO topics (topic, last_seq) VALUES (OLD.workspace_id || '/' || OLD.user_id, 1)
    ON CONFLICT (topic) DO UPDATE SET last_seq = topics.last_seq + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER member_feed_deleted AFTER DELETE ON members FOR EACH ROW EXECUTE FUNCTION member_feed_deleted();

-- A connection's list of models, and what was learnt of them.
CREATE FUNCTION connection_data_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM offered_models WHERE connection_id = OLD.id AND workspace_id = OLD.workspace_id;
    RETURN NULL;
END $$;
CREATE TRIGGER connection_data_deleted AFTER DELETE ON connections FOR EACH ROW
EXECUTE FUNCTION connection_data_deleted();

CREATE FUNCTION connection_ratios_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM token_ratios WHERE workspace_id = OLD.workspace_id AND starts_with(model, OLD.slug || '/');
    RETURN NULL;
END $$;
CREATE TRIGGER connection_ratios_deleted AFTER DELETE ON connections FOR EACH ROW
EXECUTE FUNCTION connection_ratios_deleted();

CREATE FUNCTION preset_names_server(models TEXT, merge_model TEXT, slug TEXT) RETURNS boolean
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT strpos(lower('"' || coalesce(merge_model, '') || models), '"' || lower(slug) || '/') > 0;
END;

CREATE FUNCTION preset_servers_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO preset_removed_servers (preset_id, slug)
    SELECT id, OLD.slug FROM presets
    WHERE workspace_id = OLD.workspace_id AND created_by = OLD.user_id
      AND preset_names_server(models, merge_model, OLD.slug)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER preset_servers_removed AFTER DELETE ON connections FOR EACH ROW
WHEN (OLD.user_id IS NOT NULL AND OLD.slug <> OLD.kind) EXECUTE FUNCTION preset_servers_removed();

CREATE FUNCTION preset_servers_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM preset_removed_servers
    WHERE preset_id = NEW.id AND NOT preset_names_server(NEW.models, NEW.merge_model, slug);
    RETURN NULL;
END $$;
CREATE TRIGGER preset_servers_changed AFTER UPDATE OF models, merge_model ON presets FOR EACH ROW
EXECUTE FUNCTION preset_servers_changed();


-- Quotes go with what they quote: results of tools, and headings of files among passages. Copies of them are in
-- JSON that others read, which is changed in place: whatever begins it is looked for by its first characters.

-- A JSON object with some members changed; the others stay byte for byte, in their order.
CREATE FUNCTION json_with(body TEXT, changes JSON) RETURNS TEXT LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT '{' || string_agg(
        to_json(member.key)::text || ':' || coalesce(changes -> member.key, member.value)::text, ','
        ORDER BY member.place) || '}'
    FROM json_each(body::json) WITH ORDINALITY AS member (key, value, place);
END;

-- A JSON list in which the items that have one of some values under a name are changed.
CREATE FUNCTION json_items_with(items JSON, name TEXT, named TEXT [], changes JSON) RETURNS TEXT
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT '[' || coalesce(string_agg(
        CASE WHEN item.value ->> name = ANY (named) THEN json_with(item.value::text, changes)
            ELSE item.value::text END,
        ',' ORDER BY item.place), '') || ']'
    FROM json_array_elements(items) WITH ORDINALITY AS item (value, place);
END;

-- Nothing is changed in a conversation that is being deleted itself: its rows go in an order that is not ours,
-- and one that is changed may refer to another that is gone already.
CREATE FUNCTION find_quoting_conversation(reply TEXT) RETURNS TEXT LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT c.id FROM replies AS r JOIN conversations AS c ON c.id = r.conversation_id WHERE r.id = reply;
END;

CREATE FUNCTION delete_quotes(source TEXT) RETURNS void LANGUAGE sql
BEGIN ATOMIC
    UPDATE tool_sources SET is_deleted = 1
    WHERE source_id = source AND find_quoting_conversation(reply_id) IS NOT NULL;
    DELETE FROM reply_headings WHERE file_id = source;
END;

CREATE FUNCTION conversation_quotes_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM delete_quotes(OLD.id);
    RETURN NULL;
END $$;
CREATE TRIGGER conversation_quotes_deleted AFTER DELETE ON conversations FOR EACH ROW
EXECUTE FUNCTION conversation_quotes_deleted();

-- A file that may still be restored is not deleted for good yet.
CREATE FUNCTION file_quotes_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM held_rows WHERE table_name = 'files' AND row_id = OLD.id) THEN
        PERFORM delete_quotes(OLD.id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER file_quotes_deleted AFTER DELETE ON files FOR EACH ROW EXECUTE FUNCTION file_quotes_deleted();

CREATE FUNCTION held_file_quotes_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM files WHERE id = OLD.row_id) THEN
        PERFORM delete_quotes(OLD.row_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER held_file_quotes_deleted AFTER DELETE ON held_rows FOR EACH ROW
WHEN (OLD.table_name = 'files') EXECUTE FUNCTION held_file_quotes_deleted();

-- Every place that keeps what a call gave.
CREATE FUNCTION tool_result_erased() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    erased CONSTANT JSON := '{"result":"What this quoted was deleted.","length":29,"tables":[],"attachments":[]}';
    conversation CONSTANT TEXT := find_quoting_conversation(NEW.reply_id);
BEGIN
    DELETE FROM attachments WHERE id IN (
        SELECT figure ->> 'id' FROM tool_runs AS t, json_array_elements(t.attachments::json) AS figure
        WHERE t.reply_id = NEW.reply_id AND t.id = NEW.call_id
    );
    UPDATE tool_runs SET result = erased ->> 'result', length = 29, quotes = '[]', tables = '[]',
        attachments = '[]'
    WHERE reply_id = NEW.reply_id AND id = NEW.call_id;
    DELETE FROM tool_results WHERE reply_id = NEW.reply_id AND call_id = NEW.call_id;
    UPDATE replies SET tool_calls = json_items_with(tool_calls::json, 'id', ARRAY[NEW.call_id], erased)
    WHERE id = NEW.reply_id;
    UPDATE events SET body = json_with(
        body, json_build_object('call', json_with((body::json -> 'call')::text, erased)::json))
    WHERE topic = conversation AND starts_with(body, '{"type":"reply.tool_call"')
      AND body::json ->> 'reply_id' = NEW.reply_id AND body::json #>> '{call,id}' = NEW.call_id
      AND ((body::json #>> '{call,length}')::bigint > 0 OR body::json #>> '{call,attachments}' <> '[]');
    UPDATE events SET body = json_with(body, json_build_object('reply', json_with(
        (body::json -> 'reply')::text, json_build_object('tool_calls', json_items_with(
            body::json #> '{reply,tool_calls}', 'id', ARRAY[NEW.call_id], erased)::json))::json))
    WHERE topic = conversation AND starts_with(body, '{"type":"reply.closed"')
      AND body::json #>> '{reply,id}' = NEW.reply_id;
    DELETE FROM receipt_texts WHERE conversation_id = conversation AND hash IN (
        SELECT item ->> 'text_hash'
        FROM receipts AS r, json_array_elements(r.plan::json -> 'steps') AS step,
            json_array_elements(step -> 'items') AS item
        WHERE r.reply_id = NEW.reply_id AND item #>> '{pointer,call_id}' = NEW.call_id
    );
    RETURN NULL;
END $$;
CREATE TRIGGER tool_result_erased AFTER UPDATE OF is_deleted ON tool_sources FOR EACH ROW
WHEN (NEW.is_deleted = 1) EXECUTE FUNCTION tool_result_erased();

-- What a call quotes of a file that is now attached to another conversation is read by those alone who may open
-- that one: it counts as a quote of it. What the call gave is then kept with the call, and nowhere else.
CREATE FUNCTION quoting_calls(reply TEXT) RETURNS TEXT [] LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT coalesce(array_agg(id), '{}') FROM tool_runs WHERE reply_id = reply AND quotes <> '[]';
END;

CREATE FUNCTION file_attached() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    hidden CONSTANT JSON := '{"result":"","tables":[],"attachments":[]}';
    quoting TEXT [] := ARRAY(SELECT reply_id FROM tool_sources WHERE source_id = NEW.id);
    conversations TEXT [] := ARRAY(SELECT conversation_id FROM replies WHERE id = ANY (quoting));
BEGIN
    UPDATE tool_runs SET quotes = CASE quotes WHEN '[]' THEN '[' ELSE left(quotes, -1) || ',' END
        || to_json(NEW.conversation_id)::text || ']'
    WHERE conversation_id <> NEW.conversation_id
      AND (reply_id, id) IN (
        SELECT reply_id, call_id FROM tool_sources WHERE source_id = NEW.id AND is_deleted = 0)
      AND NOT EXISTS (
        SELECT 1 FROM json_array_elements_text(quotes::json) AS quoted WHERE quoted = NEW.conversation_id);
    UPDATE replies SET tool_calls = json_items_with(tool_calls::json, 'id', quoting_calls(id), hidden)
    WHERE id = ANY (quoting);
    UPDATE events SET body = json_with(
        body, json_build_object('call', json_with((body::json -> 'call')::text, hidden)::json))
    WHERE topic = ANY (conversations) AND starts_with(body, '{"type":"reply.tool_call"')
      AND body::json #>> '{call,id}' = ANY (quoting_calls(body::json ->> 'reply_id'));
    UPDATE events SET body = json_with(body, json_build_object('reply', json_with(
        (body::json -> 'reply')::text, json_build_object('tool_calls', json_items_with(
            body::json #> '{reply,tool_calls}', 'id', quoting_calls(body::json #>> '{reply,id}'), hidden
        )::json))::json))
    WHERE topic = ANY (conversations) AND starts_with(body, '{"type":"reply.closed"')
      AND body::json #>> '{reply,id}' = ANY (quoting);
    RETURN NULL;
END $$;
CREATE TRIGGER file_attached AFTER UPDATE OF conversation_id ON files FOR EACH ROW
WHEN (NEW.conversation_id IS NOT NULL) EXECUTE FUNCTION file_attached();

-- Every place that keeps headings.
CREATE FUNCTION headings_erased() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    erased CONSTANT JSON := '{"heading":""}';
    conversation CONSTANT TEXT := find_quoting_conversation(OLD.reply_id);
BEGIN
    UPDATE replies SET passages = json_items_with(passages::json, 'source_id', ARRAY[OLD.file_id], erased)
    WHERE id = OLD.reply_id AND conversation_id = conversation;
    UPDATE events SET body = json_with(body, json_build_object('passages', json_items_with(
        body::json -> 'passages', 'source_id', ARRAY[OLD.file_id], erased)::json))
    WHERE topic = conversation AND starts_with(body, '{"type":"reply.started"')
      AND body::json ->> 'reply_id' = OLD.reply_id;
    UPDATE events SET body = json_with(body, json_build_object('reply', json_with(
        (body::json -> 'reply')::text, json_build_object('passages', json_items_with(
            body::json #> '{reply,passages}', 'source_id', ARRAY[OLD.file_id], erased)::json))::json))
    WHERE topic = conversation AND starts_with(body, '{"type":"reply.closed"')
      AND body::json #>> '{reply,id}' = OLD.reply_id;
    RETURN NULL;
END $$;
CREATE TRIGGER headings_erased AFTER DELETE ON reply_headings FOR EACH ROW EXECUTE FUNCTION headings_erased();


-- The schema about itself, in the same words on every engine.
CREATE VIEW foreign_keys AS
SELECT child.relname::text AS table_name, child_column.attname::text AS column_name,
    parent.relname::text AS parent_table, parent_column.attname::text AS parent_column,
    CASE key.confdeltype WHEN 'c' THEN 'CASCADE' ELSE 'NO ACTION' END AS on_delete
FROM pg_constraint AS key
JOIN pg_class AS child ON child.oid = key.conrelid
JOIN pg_class AS parent ON parent.oid = key.confrelid
CROSS JOIN unnest(key.conkey, key.confkey) AS pair (child_number, parent_number)
JOIN pg_attribute AS child_column
    ON child_column.attrelid = child.oid AND child_column.attnum = pair.child_number
JOIN pg_attribute AS parent_column
    ON parent_column.attrelid = parent.oid AND parent_column.attnum = pair.parent_number
WHERE key.contype = 'f' AND child.relnamespace = current_schema()::regnamespace;
CREATE VIEW table_columns AS
SELECT c.table_name::text, c.column_name::text, c.ordinal_position::bigint - 1 AS place
FROM information_schema.columns AS c
JOIN information_schema.tables AS t USING (table_schema, table_name)
WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE';
