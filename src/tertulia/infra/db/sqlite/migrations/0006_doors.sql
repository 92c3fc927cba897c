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
