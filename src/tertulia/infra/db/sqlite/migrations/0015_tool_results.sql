-- What a tool gave besides words: tables for people, and all the words where a model was given a part.
ALTER TABLE tool_runs ADD COLUMN tables TEXT NOT NULL DEFAULT '[]';
-- Characters of all that it gave.
ALTER TABLE tool_runs ADD COLUMN length INTEGER NOT NULL DEFAULT 0;

-- Results that were too long for a prompt, whole.
CREATE TABLE tool_results (
    reply_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (reply_id, call_id),
    FOREIGN KEY (reply_id, call_id) REFERENCES tool_runs (reply_id, id) ON DELETE CASCADE
);

-- How many calls of a conversation wait for a person, so that lists can say so.
ALTER TABLE conversations ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET waiting = (
    SELECT count(*) FROM tool_runs
    WHERE tool_runs.conversation_id = conversations.id AND tool_runs.status = 'waiting'
);

-- Why a reply came to be as it is, where a person should know: a limit was reached.
ALTER TABLE replies ADD COLUMN notice TEXT NOT NULL DEFAULT '';
-- A person changed the arguments that the model wrote.
ALTER TABLE tool_runs ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
