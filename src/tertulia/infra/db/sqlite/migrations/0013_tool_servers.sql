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
    enabled INTEGER NOT NULL DEFAULT 1,
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
    enabled INTEGER NOT NULL DEFAULT 1,
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
    enabled INTEGER NOT NULL,
    -- read or side; null for what the tool itself says.
    effect TEXT,
    PRIMARY KEY (workspace_id, name)
);
