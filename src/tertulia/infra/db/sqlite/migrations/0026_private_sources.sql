-- What a call quotes of a file that is now attached to another conversation is read by those alone who may open
-- that one: it counts as a quote of it. What the call gave is then kept with the call, and nowhere else.
CREATE TRIGGER file_attached AFTER UPDATE OF conversation_id ON files WHEN NEW.conversation_id IS NOT NULL
    AND EXISTS (SELECT 1 FROM tool_sources WHERE source_id = NEW.id)
BEGIN
    UPDATE tool_runs SET quotes = json_insert(quotes, '$[#]', NEW.conversation_id)
    WHERE conversation_id <> NEW.conversation_id
      AND (reply_id, id) IN (
        SELECT reply_id, call_id FROM tool_sources WHERE source_id = NEW.id AND NOT is_deleted)
      AND NOT EXISTS (SELECT 1 FROM json_each(tool_runs.quotes) AS q WHERE q.value = NEW.conversation_id);
    UPDATE replies SET tool_calls = (
        SELECT json_group_array(json(CASE WHEN EXISTS (
            SELECT 1 FROM tool_runs AS t
            WHERE t.reply_id = replies.id AND t.id = call.value ->> '$.id' AND t.quotes <> '[]')
            THEN json_set(call.value, '$.result', '', '$.tables', json('[]'), '$.attachments', json('[]'))
            ELSE call.value END))
        FROM json_each(replies.tool_calls) AS call
    ) WHERE id IN (SELECT reply_id FROM tool_sources WHERE source_id = NEW.id);
    UPDATE events SET body = json_set(body, '$.call.result', '', '$.call.tables', json('[]'),
        '$.call.attachments', json('[]'))
    WHERE topic IN (
        SELECT t.conversation_id FROM tool_sources AS s
        JOIN tool_runs AS t ON t.reply_id = s.reply_id AND t.id = s.call_id WHERE s.source_id = NEW.id)
      AND body LIKE '{"type":"reply.tool_call"%' AND EXISTS (
        SELECT 1 FROM tool_runs AS t WHERE t.reply_id = body ->> '$.reply_id'
        AND t.id = body ->> '$.call.id' AND t.quotes <> '[]');
    UPDATE events SET body = json_set(body, '$.reply.tool_calls', json((
        SELECT json_group_array(json(CASE WHEN EXISTS (
            SELECT 1 FROM tool_runs AS t WHERE t.reply_id = events.body ->> '$.reply.id'
            AND t.id = call.value ->> '$.id' AND t.quotes <> '[]')
            THEN json_set(call.value, '$.result', '', '$.tables', json('[]'), '$.attachments', json('[]'))
            ELSE call.value END))
        FROM json_each(events.body, '$.reply.tool_calls') AS call
    )))
    WHERE topic IN (
        SELECT t.conversation_id FROM tool_sources AS s
        JOIN tool_runs AS t ON t.reply_id = s.reply_id AND t.id = s.call_id WHERE s.source_id = NEW.id)
      AND body LIKE '{"type":"reply.closed"%'
      AND body ->> '$.reply.id' IN (SELECT reply_id FROM tool_sources WHERE source_id = NEW.id);
END;
-- Code that ran before such a file was attached is not known to have read it: any that names it, unless a file
-- of that path is still there for it.
INSERT OR IGNORE INTO tool_sources (source_id, reply_id, call_id, workspace_id)
SELECT f.id, t.reply_id, t.id, t.workspace_id
FROM tool_runs AS t
LEFT JOIN tool_results AS r ON r.reply_id = t.reply_id AND r.call_id = t.id
JOIN files AS f ON f.project_id = t.project_id AND f.conversation_id <> t.conversation_id
    AND f.created_at <= t.created_at AND f.path LIKE 'attachments/%'
WHERE t.name = 'run_python'
  AND instr(concat_ws(char(10), t.arguments, json_extract(
        CASE WHEN json_valid(t.arguments) THEN t.arguments ELSE '{}' END, '$.code'), t.result, r.text),
    substr(f.path, length(rtrim(f.path, replace(f.path, '/', ''))) + 1)) > 0
  AND NOT EXISTS (
    SELECT 1 FROM files AS own WHERE own.project_id = t.project_id AND own.path = f.path
    AND (own.conversation_id IS NULL OR own.conversation_id = t.conversation_id));
UPDATE files SET conversation_id = conversation_id WHERE conversation_id IS NOT NULL;

-- Which replies have headings of a file among their passages: those are the file's own words, and go with it.
CREATE TABLE reply_headings (
    file_id TEXT NOT NULL,
    reply_id TEXT NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
    PRIMARY KEY (file_id, reply_id)
) WITHOUT ROWID;
CREATE INDEX reply_headings_by_reply ON reply_headings (reply_id);
CREATE TRIGGER passages_kept AFTER UPDATE OF passages ON replies WHEN NEW.passages <> '[]' BEGIN
    INSERT OR IGNORE INTO reply_headings (file_id, reply_id)
    SELECT passage.value ->> '$.source_id', NEW.id FROM json_each(NEW.passages) AS passage
    WHERE passage.value ->> '$.kind' = 'file' AND passage.value ->> '$.heading' <> '';
END;
-- A file that may still be restored is not deleted for good yet.
CREATE TRIGGER file_headings_deleted AFTER DELETE ON files
WHEN EXISTS (SELECT 1 FROM reply_headings WHERE file_id = OLD.id) AND NOT EXISTS (
    SELECT 1 FROM held_rows WHERE table_name = 'files' AND content ->> '$.id' = OLD.id
) BEGIN
    DELETE FROM reply_headings WHERE file_id = OLD.id;
END;
CREATE TRIGGER held_file_headings_deleted AFTER DELETE ON held_rows
WHEN OLD.table_name = 'files' AND NOT EXISTS (SELECT 1 FROM files WHERE id = OLD.content ->> '$.id') BEGIN
    DELETE FROM reply_headings WHERE file_id = OLD.content ->> '$.id';
END;
-- Every place that keeps headings; of a reply that is deleted itself there is none.
CREATE TRIGGER headings_erased AFTER DELETE ON reply_headings
WHEN EXISTS (SELECT 1 FROM replies WHERE id = OLD.reply_id) BEGIN
    UPDATE replies SET passages = (
        SELECT json_group_array(json(CASE WHEN passage.value ->> '$.source_id' = OLD.file_id
            THEN json_replace(passage.value, '$.heading', '') ELSE passage.value END))
        FROM json_each(replies.passages) AS passage
    ) WHERE id = OLD.reply_id;
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

-- Headings of files that were deleted before.
INSERT OR IGNORE INTO reply_headings (file_id, reply_id)
SELECT passage.value ->> '$.source_id', r.id FROM replies AS r, json_each(r.passages) AS passage
WHERE passage.value ->> '$.kind' = 'file' AND passage.value ->> '$.heading' <> '';
-- What is overwritten here is still in unused parts of pages.
INSERT INTO deletions (kind, at)
SELECT 'earlier', CAST(unixepoch('subsec') * 1000 AS INTEGER)
WHERE EXISTS (SELECT 1 FROM reply_headings WHERE file_id NOT IN (SELECT id FROM files));
DELETE FROM reply_headings WHERE file_id NOT IN (SELECT id FROM files)
    AND file_id NOT IN (SELECT content ->> '$.id' FROM held_rows WHERE table_name = 'files');
