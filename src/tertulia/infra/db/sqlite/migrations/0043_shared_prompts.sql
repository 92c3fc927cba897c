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
ALTER TABLE replies ADD COLUMN has_round_passages INTEGER NOT NULL DEFAULT 0;

-- Every place that keeps headings; of a reply that is deleted itself there is none.
DROP TRIGGER headings_erased;
CREATE TRIGGER headings_erased AFTER DELETE ON reply_headings
WHEN EXISTS (SELECT 1 FROM replies WHERE id = OLD.reply_id) BEGIN
    UPDATE replies SET passages = (
        SELECT json_group_array(json(CASE WHEN passage.value ->> '$.source_id' = OLD.file_id
            THEN json_replace(passage.value, '$.heading', '') ELSE passage.value END))
        FROM json_each(unpacked(replies.passages)) AS passage
    ) WHERE id = OLD.reply_id;
    UPDATE rounds SET passages = (
        SELECT json_group_array(json(CASE WHEN passage.value ->> '$.source_id' = OLD.file_id
            THEN json_replace(passage.value, '$.heading', '') ELSE passage.value END))
        FROM json_each(unpacked(rounds.passages)) AS passage
    ) WHERE id = (SELECT round_id FROM replies WHERE id = OLD.reply_id);
    UPDATE events SET body = json_set(body, '$.passages', json((
        SELECT json_group_array(json(CASE WHEN passage.value ->> '$.source_id' = OLD.file_id
            THEN json_replace(passage.value, '$.heading', '') ELSE passage.value END))
        FROM json_each(events.body, '$.passages') AS passage
    )))
    WHERE topic = (SELECT conversation_id FROM replies WHERE id = OLD.reply_id)
      AND body LIKE '{"type":"reply.started"%' AND body ->> '$.reply_id' = OLD.reply_id;
    UPDATE events SET body = json_set(body, '$.reply.passages', json((
        SELECT json_group_array(json(CASE WHEN passage.value ->> '$.source_id' = OLD.file_id
            THEN json_replace(passage.value, '$.heading', '') ELSE passage.value END))
        FROM json_each(events.body, '$.reply.passages') AS passage
    )))
    WHERE topic = (SELECT conversation_id FROM replies WHERE id = OLD.reply_id)
      AND body LIKE '{"type":"reply.closed"%' AND body ->> '$.reply.id' = OLD.reply_id;
END;

-- Messages as search reads them: what was said, the title of the conversation, and the question before.
CREATE VIEW message_contexts AS
SELECT m.id, m.workspace_id, m.content, m.created_at, c.title,
    CASE WHEN p.speaker = 'user' THEN p.content ELSE q.content END AS asked
FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
LEFT JOIN messages AS p ON p.id = m.parent_id LEFT JOIN messages AS q ON q.id = p.parent_id;

-- Points have their text packed from now on.
DROP VIEW point_messages;
CREATE VIEW point_messages AS
SELECT p.workspace_id, p.summary_id, unpacked(p.text) AS text, m.id AS message_id, m.round_id,
    r.number AS round_number, m.created_at AS said_at
FROM summary_points AS p CROSS JOIN json_each(p.sources) AS s
JOIN messages AS m ON m.id = s.value JOIN rounds AS r ON r.id = m.round_id;
