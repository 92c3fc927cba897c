-- What a call gave is erased with what it quotes: the figures that it drew, too.
DROP TRIGGER tool_result_erased;
-- Every place that keeps what a call gave.
CREATE TRIGGER tool_result_erased AFTER UPDATE OF is_deleted ON tool_sources WHEN NEW.is_deleted BEGIN
    DELETE FROM attachments WHERE id IN (
        SELECT figure.value ->> '$.id' FROM tool_runs AS t, json_each(t.attachments) AS figure
        WHERE t.reply_id = NEW.reply_id AND t.id = NEW.call_id
    );
    UPDATE tool_runs SET result = 'What this quoted was deleted.', length = 29, quotes = '[]', tables = '[]',
        attachments = '[]'
    WHERE reply_id = NEW.reply_id AND id = NEW.call_id;
    DELETE FROM tool_results WHERE reply_id = NEW.reply_id AND call_id = NEW.call_id;
    UPDATE replies SET tool_calls = (
        SELECT json_group_array(json(CASE WHEN call.value ->> '$.id' = NEW.call_id
            THEN json_set(call.value, '$.result', 'What this quoted was deleted.', '$.length', 29,
                '$.tables', json('[]'), '$.attachments', json('[]'))
            ELSE call.value END))
        FROM json_each(replies.tool_calls) AS call
    ) WHERE id = NEW.reply_id;
    UPDATE events SET body = json_set(body, '$.call.result', 'What this quoted was deleted.',
        '$.call.length', 29, '$.call.tables', json('[]'), '$.call.attachments', json('[]'))
    WHERE topic = (SELECT conversation_id FROM replies WHERE id = NEW.reply_id)
      AND body LIKE '{"type":"reply.tool_call"%'
      AND body ->> '$.reply_id' = NEW.reply_id AND body ->> '$.call.id' = NEW.call_id
      AND (body ->> '$.call.length' > 0 OR body ->> '$.call.attachments' <> '[]');
    UPDATE events SET body = json_set(body, '$.reply.tool_calls', json((
        SELECT json_group_array(json(CASE WHEN call.value ->> '$.id' = NEW.call_id
            THEN json_set(call.value, '$.result', 'What this quoted was deleted.', '$.length', 29,
                '$.tables', json('[]'), '$.attachments', json('[]'))
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

-- Which files earlier code read is not known: any whose name the code or its output has, and any tool that it
-- names as a module.
CREATE TEMP TABLE earlier_code AS
SELECT t.reply_id, t.id, t.workspace_id, t.conversation_id, t.project_id, concat_ws(char(10), '',
    coalesce(CASE WHEN json_valid(t.arguments) THEN t.arguments ->> '$.code' END, t.arguments),
    t.result, r.text, '') AS text
FROM tool_runs AS t LEFT JOIN tool_results AS r ON r.reply_id = t.reply_id AND r.call_id = t.id
WHERE t.name = 'run_python' AND NOT EXISTS (
    SELECT 1 FROM tool_sources AS s WHERE s.reply_id = t.reply_id AND s.call_id = t.id);
-- Without their folders: rtrim takes away all that is no slash.
CREATE TEMP TABLE named_files AS
SELECT id, project_id, conversation_id, substr(path, length(rtrim(path, replace(path, '/', ''))) + 1) AS name,
    nullif(substr(module_path, length(rtrim(module_path, replace(module_path, '/', ''))) + 1), '') AS module
FROM (
    SELECT *, CASE
        WHEN path NOT GLOB 'tools/*.py' AND path NOT GLOB 'attachments/tools/*.py' THEN ''
        WHEN path GLOB '*/__init__.py' THEN substr(path, 1, length(path) - length('/__init__.py'))
        ELSE substr(path, 1, length(path) - length('.py')) END AS module_path
    FROM files
);
INSERT INTO tool_sources (source_id, reply_id, call_id, workspace_id)
SELECT f.id, c.reply_id, c.id, c.workspace_id
FROM earlier_code AS c JOIN named_files AS f
    ON f.conversation_id = c.conversation_id OR f.project_id = c.project_id AND f.conversation_id IS NULL
WHERE instr(c.text, f.name) > 0
    OR instr(c.text, f.module) > 0 AND c.text GLOB '*[^a-zA-Z0-9_]' || f.module || '[^a-zA-Z0-9_]*';
DROP TABLE earlier_code;
DROP TABLE named_files;

-- What such code said while it ran is in its result, once it has ended.
UPDATE events SET body = json_set(body, '$.text', '')
WHERE body LIKE '{"type":"reply.tool_output"%' AND EXISTS (
    SELECT 1 FROM tool_sources AS s JOIN tool_runs AS t ON t.reply_id = s.reply_id AND t.id = s.call_id
    WHERE s.reply_id = body ->> '$.reply_id' AND s.call_id = body ->> '$.call_id' AND t.ended_at IS NOT NULL);

-- Figures of results that were erased before.
UPDATE tool_sources SET is_deleted = 1 WHERE is_deleted;

-- Messages of errors may quote any file: what is kept of an error has no words of its own any more.
UPDATE tool_uses SET error = 'An exception' WHERE error <> '';

-- What was overwritten here is still in unused parts of pages.
INSERT INTO deletions (kind, at)
SELECT 'earlier', CAST(unixepoch('subsec') * 1000 AS INTEGER)
WHERE EXISTS (SELECT 1 FROM tool_runs WHERE name = 'run_python');
