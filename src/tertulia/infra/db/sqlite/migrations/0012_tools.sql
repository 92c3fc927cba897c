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
    step INTEGER NOT NULL,
    place INTEGER NOT NULL,
    -- How many characters of the reply were written before.
    at INTEGER NOT NULL,
    name TEXT NOT NULL,
    arguments TEXT NOT NULL,
    effect TEXT NOT NULL,
    -- waiting: for a person's yes. unknown: the server stopped while it ran.
    status TEXT NOT NULL,
    result TEXT NOT NULL DEFAULT '',
    local_only INTEGER NOT NULL DEFAULT 0,
    ms INTEGER,
    attachments TEXT NOT NULL DEFAULT '[]',
    saved TEXT NOT NULL DEFAULT '[]',
    decided_by TEXT,
    expires_at INTEGER,
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (reply_id, id)
);
CREATE INDEX tool_runs_by_name ON tool_runs (workspace_id, name, created_at);
CREATE INDEX tool_runs_by_conversation ON tool_runs (conversation_id);
CREATE INDEX tool_runs_waiting ON tool_runs (expires_at) WHERE status = 'waiting';

-- What a model said before it called tools, as its provider wants it back: so a reply that waits can go on.
CREATE TABLE tool_steps (
    reply_id TEXT NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
    step INTEGER NOT NULL,
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
    created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX tool_grants_once ON tool_grants (workspace_id, user_id, tool, coalesce(conversation_id, ''));

-- Notes from the person to a model at work, and whether it has read them.
ALTER TABLE replies ADD COLUMN notes TEXT NOT NULL DEFAULT '[]';
-- A run that waits for a person is nobody's to take over.
ALTER TABLE runs ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;
