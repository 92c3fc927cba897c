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
CREATE UNIQUE INDEX connections_slug ON connections (workspace_id, COALESCE(user_id, ''), slug);

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
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX presets_name ON presets (workspace_id, name);
