-- Items of the first prompt of a round: receipts of its other lanes point to those that are the same.
CREATE TABLE shared_items (
    round_id TEXT PRIMARY KEY REFERENCES rounds (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    items TEXT NOT NULL
);
-- NULL in earlier receipts: those have all of theirs in `items` or in `plan`.
ALTER TABLE receipts ADD COLUMN outline TEXT;

-- The passages that the first of several lanes was shown: replies that were shown the same have none of their own.
ALTER TABLE rounds ADD COLUMN passages TEXT NOT NULL DEFAULT '[]';
ALTER TABLE replies ADD COLUMN has_round_passages BIGINT NOT NULL DEFAULT 0;

-- Every place that keeps headings.
CREATE OR REPLACE FUNCTION headings_erased() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    erased CONSTANT JSON := '{"heading":""}';
    conversation CONSTANT TEXT := find_quoting_conversation(OLD.reply_id);
BEGIN
    UPDATE replies SET passages = json_items_with(passages::json, 'source_id', ARRAY[OLD.file_id], erased)
    WHERE id = OLD.reply_id AND conversation_id = conversation;
    UPDATE rounds SET passages = json_items_with(passages::json, 'source_id', ARRAY[OLD.file_id], erased)
    WHERE conversation_id = conversation
      AND id = (SELECT round_id FROM replies WHERE id = OLD.reply_id);
    UPDATE events SET body = json_with(body, json_build_object('passages', json_items_with(
        body::json -> 'passages', 'source_id', ARRAY[OLD.file_id], erased)::json))
    WHERE topic = conversation AND starts_with(body, '{"type":"reply.started"')
      AND body::json ->> 'reply_id' = OLD.reply_id;
    UPDATE events SET body = json_with(body, json_build_object('reply', json_with(
        (body::json -> 'reply')::text, json_build_object('passages', json_items_with(
            body::json #> '{reply,passages}', 'source_id', ARRAY[OLD.file_id], erased)::json))::json))
    WHERE topic = conversation AND starts_with(body, '{"type":"reply.closed"')
      AND body::json #>> '{reply,id}' = OLD.reply_id;
    RETURN NULL;
END $$;

-- Messages as search reads them: what was said, the title of the conversation, and the question before.
CREATE VIEW message_contexts WITH (security_invoker = true) AS
SELECT m.id, m.workspace_id, m.content, m.created_at, c.title,
    CASE WHEN p.speaker = 'user' THEN p.content ELSE q.content END AS asked
FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
LEFT JOIN messages AS p ON p.id = m.parent_id LEFT JOIN messages AS q ON q.id = p.parent_id;

-- Texts that SQLite keeps packed are kept as they are.
CREATE FUNCTION unpacked(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1';
