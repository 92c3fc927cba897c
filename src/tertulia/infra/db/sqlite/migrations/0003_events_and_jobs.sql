-- A topic's numbering outlives its events, which are pruned once nobody can need them.
CREATE TABLE topics (
    topic TEXT PRIMARY KEY,
    last_seq INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE events (
    topic TEXT NOT NULL REFERENCES topics (topic) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (topic, seq)
) WITHOUT ROWID;

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    -- Work that is already waiting under the same key is not queued again.
    key TEXT NOT NULL UNIQUE,
    payload TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    run_at INTEGER NOT NULL,
    worker TEXT,
    lease_until INTEGER,
    failed_at INTEGER,
    error TEXT,
    created_at INTEGER NOT NULL
);
CREATE INDEX jobs_due ON jobs (run_at) WHERE failed_at IS NULL;
