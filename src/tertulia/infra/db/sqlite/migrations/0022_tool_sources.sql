-- Files and other conversations that the result of a call quotes: what was quoted is deleted with any of them.
CREATE TABLE tool_sources (
    source_id TEXT NOT NULL,
    reply_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    is_deleted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (source_id, reply_id, call_id),
    FOREIGN KEY (reply_id, call_id) REFERENCES tool_runs (reply_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX tool_sources_by_call ON tool_sources (reply_id, call_id);

INSERT INTO tool_sources (source_id, reply_id, call_id, workspace_id)
SELECT DISTINCT quoted.value, t.reply_id, t.id, t.workspace_id
FROM tool_runs AS t, json_each(t.quotes) AS quoted;
-- Which files earlier calls quoted is not known: any of the project whose path their results name.
INSERT OR IGNORE INTO tool_sources (source_id, reply_id, call_id, workspace_id)
SELECT f.id, t.reply_id, t.id, t.workspace_id
FROM tool_runs AS t JOIN files AS f ON f.project_id = t.project_id AND instr(t.result, f.path) > 0
WHERE t.name IN ('search_project', 'read_project_file', 'list_project_files', 'read_tool_result');

CREATE TRIGGER conversation_quotes_deleted AFTER DELETE ON conversations BEGIN
    UPDATE tool_sources SET is_deleted = 1 WHERE source_id = OLD.id;
END;
-- A file that may still be restored is not deleted for good yet.
CREATE TRIGGER file_quotes_deleted AFTER DELETE ON files
WHEN EXISTS (SELECT 1 FROM tool_sources WHERE source_id = OLD.id) AND NOT EXISTS (
    SELECT 1 FROM held_rows WHERE table_name = 'files' AND content ->> '$.id' = OLD.id
) BEGIN
    UPDATE tool_sources SET is_deleted = 1 WHERE source_id = OLD.id;
END;
CREATE TRIGGER held_file_quotes_deleted AFTER DELETE ON held_rows
WHEN OLD.table_name = 'files' AND NOT EXISTS (SELECT 1 FROM files WHERE id = OLD.content ->> '$.id') BEGIN
    UPDATE tool_sources SET is_deleted = 1 WHERE source_id = OLD.content ->> '$.id';
END;

-- Every place that keeps what a call gave.
CREATE TRIGGER tool_result_erased AFTER UPDATE OF is_deleted ON tool_sources WHEN NEW.is_deleted BEGIN
    UPDATE tool_runs SET result = 'What this quoted was deleted.', length = 29, quotes = '[]', tables = '[]'
    WHERE reply_id = NEW.reply_id AND id = NEW.call_id;
    DELETE FROM tool_results WHERE reply_id = NEW.reply_id AND call_id = NEW.call_id;
    UPDATE replies SET tool_calls = (
        SELECT json_group_array(json(CASE WHEN call.value ->> '$.id' = NEW.call_id
            THEN json_set(call.value, '$.result', 'What this quoted was deleted.', '$.length', 29,
                '$.tables', json('[]'))
            ELSE call.value END))
        FROM json_each(replies.tool_calls) AS call
    ) WHERE id = NEW.reply_id;
    UPDATE events SET body = json_set(body, '$.call.result', 'What this quoted was deleted.',
        '$.call.length', 29, '$.call.tables', json('[]'))
    WHERE topic = (SELECT conversation_id FROM replies WHERE id = NEW.reply_id)
      AND body LIKE '{"type":"reply.tool_call"%'
      AND body ->> '$.reply_id' = NEW.reply_id AND body ->> '$.call.id' = NEW.call_id
      AND body ->> '$.call.length' > 0;
    UPDATE events SET body = json_set(body, '$.reply.tool_calls', json((
        SELECT json_group_array(json(CASE WHEN call.value ->> '$.id' = NEW.call_id
            THEN json_set(call.value, '$.result', 'What this quoted was deleted.', '$.length', 29,
                '$.tables', json('[]'))
            ELSE call.value END))
        FROM json_each(events.body, '$.reply.tool_calls') AS call
    )))
    WHERE topic = (SELECT conversation_id FROM replies WHERE id = NEW.reply_id)
      AND body LIKE '{"type":"reply.closed"%' AND body ->> '$.reply.id' = NEW.reply_id;
    DELETE FROM receipt_texts
    WHERE conversation_id = (SELECT conversation_id FROM replies WHERE id = NEW.reply_id) AND hash IN (
        SELECT item.value ->> '$.text_hash'
        FROM receipts AS r, json_each(r.plan, '$.steps') AS step, json_each(step.value, '$.items') AS item
        WHERE r.reply_id = NEW.reply_id AND item.value ->> '$.pointer.call_id' = NEW.call_id
    );
END;
