-- People, the workspaces they belong to, and what they prove themselves with.

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE CHECK (email = lower(email)),
    name TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
    created_at BIGINT NOT NULL
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
