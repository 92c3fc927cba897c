-- Sentences by which people take back what was said before.
CREATE TABLE reversals (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    round_id TEXT NOT NULL,
    round_number INTEGER NOT NULL,
    text TEXT NOT NULL,
    said_at INTEGER NOT NULL,
    PRIMARY KEY (message_id, number)
);
CREATE INDEX reversals_by_conversation ON reversals (conversation_id, said_at);
