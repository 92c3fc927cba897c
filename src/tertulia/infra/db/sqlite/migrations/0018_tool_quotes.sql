-- Other conversations that the result of a call quotes: it is read by those alone who may open all of them.
ALTER TABLE tool_runs ADD COLUMN quotes TEXT NOT NULL DEFAULT '[]';

-- What earlier searches quoted is not known: it may be any private conversation that the asker has there.
UPDATE tool_runs SET quotes = (
    SELECT json_group_array(c.id) FROM conversations AS c
    WHERE c.project_id = tool_runs.project_id AND c.owner_id = tool_runs.user_id
      AND c.visibility = 'private' AND c.id <> tool_runs.conversation_id
)
WHERE name IN ('search_project', 'read_tool_result') AND result LIKE '%source="an earlier conversation, %';

-- Nor are such results kept with the replies, where every reader of the conversation would find them.
UPDATE replies SET tool_calls = (
    SELECT json_group_array(json(
        CASE WHEN EXISTS (
            SELECT 1 FROM tool_runs AS t
            WHERE t.reply_id = replies.id AND t.id = call.value ->> '$.id' AND t.quotes <> '[]'
        )
        THEN json_set(call.value, '$.result', '') ELSE call.value END
    ))
    FROM json_each(replies.tool_calls) AS call
)
WHERE id IN (SELECT reply_id FROM tool_runs WHERE quotes <> '[]');

-- Nor told again to who listens later: they fetch the conversation anew.
DELETE FROM events
WHERE topic IN (SELECT conversation_id FROM tool_runs WHERE quotes <> '[]')
  AND topic NOT IN (SELECT conversation_id FROM runs);
