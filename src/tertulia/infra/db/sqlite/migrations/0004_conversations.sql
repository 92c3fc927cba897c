CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    brief TEXT NOT NULL DEFAULT '',
    instructions TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT 'active',
    settings TEXT NOT NULL DEFAULT '{}',
    is_default INTEGER NOT NULL DEFAULT 0,
    created_by TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
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
    round_count INTEGER NOT NULL DEFAULT 0,
    archived_at INTEGER,
    pinned_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE INDEX conversations_by_owner ON conversations (workspace_id, owner_id, updated_at DESC);
CREATE INDEX conversations_by_project ON conversations (project_id, updated_at DESC);
CREATE INDEX conversations_shared ON conversations (workspace_id, updated_at DESC) WHERE visibility = 'workspace';

CREATE TABLE rounds (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    -- Rounds with the same parent are branches of one another.
    parent_id TEXT REFERENCES rounds (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    policy TEXT NOT NULL,
    author_id TEXT NOT NULL,
    idempotency_key TEXT,
    body_hash TEXT,
    created_at INTEGER NOT NULL
);
CREATE INDEX rounds_by_conversation ON rounds (conversation_id, number, id);
CREATE INDEX rounds_by_parent ON rounds (parent_id);
CREATE UNIQUE INDEX rounds_once_a_key ON rounds (workspace_id, author_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

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
    created_at INTEGER NOT NULL
);
CREATE INDEX messages_by_round ON messages (round_id);
CREATE INDEX messages_by_conversation ON messages (conversation_id, id);

-- A reply is a message under way, and afterwards what is known of how it came to be.
CREATE TABLE replies (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    round_id TEXT NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
    lane TEXT NOT NULL,
    model TEXT NOT NULL,
    kind TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    continues TEXT,
    effort TEXT,
    temperature REAL,
    output_limit INTEGER,
    status TEXT NOT NULL,
    error TEXT,
    usage TEXT,
    cost REAL,
    tool_calls TEXT NOT NULL DEFAULT '[]',
    first_seq INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    first_token_at INTEGER,
    finished_at INTEGER
);
CREATE INDEX replies_by_round ON replies (round_id);
CREATE INDEX replies_by_conversation ON replies (conversation_id) WHERE status IN ('queued', 'running');

CREATE TABLE attachments (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    mime TEXT NOT NULL,
    size INTEGER NOT NULL,
    data BLOB NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX attachments_by_conversation ON attachments (conversation_id);
