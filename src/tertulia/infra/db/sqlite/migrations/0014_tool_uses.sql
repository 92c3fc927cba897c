-- Which model wrote a version of a tool for whom, and who used it.
CREATE TABLE tool_uses (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    -- wrote or used
    kind TEXT NOT NULL,
    -- Where it was used: an error may quote what was said there, and goes with it.
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    model TEXT NOT NULL,
    failed INTEGER NOT NULL,
    error TEXT NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX tool_uses_by_file ON tool_uses (file_id, kind, created_at);
CREATE INDEX tool_uses_by_conversation ON tool_uses (conversation_id);
