-- A reply that is being produced: who works on it, until when that is sure, and what it may cost.
CREATE TABLE runs (
    reply_id TEXT PRIMARY KEY REFERENCES replies (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    worker TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    stop_requested INTEGER NOT NULL DEFAULT 0,
    reserved REAL NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
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
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    cost REAL NOT NULL,
    estimated INTEGER NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX spending_by_workspace ON spending (workspace_id, at);
CREATE INDEX spending_by_person ON spending (workspace_id, user_id, at);
