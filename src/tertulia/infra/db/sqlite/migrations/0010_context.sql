-- What a conversation wants of its prompts, where that differs from its project's wish.
ALTER TABLE conversations ADD COLUMN context TEXT NOT NULL DEFAULT '{}';
-- Items of an earlier prompt that a person wants left out of this one.
ALTER TABLE replies ADD COLUMN leave_out TEXT NOT NULL DEFAULT '[]';

-- What people say of a message: it is always shown to models, never, or only to local ones.
CREATE TABLE message_marks (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    mark TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (message_id, mark)
);
CREATE INDEX message_marks_by_conversation ON message_marks (conversation_id, mark);

-- Versions of what is known of a conversation. The newest that was not undone is in force on every branch
-- that goes through `round_id`, the last round that it covers.
CREATE TABLE summaries (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    round_id TEXT NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
    round_number INTEGER NOT NULL,
    -- Rounds up to this number are shown to models by these points alone; 0 where all may be shown.
    watermark INTEGER NOT NULL,
    points TEXT NOT NULL,
    made_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    undone_at INTEGER
);
CREATE INDEX summaries_by_conversation ON summaries (conversation_id, id);

-- What one model was shown for one reply. Messages are never copied; other texts are kept once a conversation.
CREATE TABLE receipts (
    reply_id TEXT PRIMARY KEY REFERENCES replies (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    plan TEXT NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX receipts_by_conversation ON receipts (conversation_id);
CREATE TABLE receipt_texts (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    -- A text that came from a file goes with it.
    file_id TEXT REFERENCES files (id) ON DELETE CASCADE,
    body TEXT NOT NULL,
    PRIMARY KEY (conversation_id, hash)
);
CREATE INDEX receipt_texts_by_file ON receipt_texts (file_id);
