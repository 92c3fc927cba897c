-- Versions of summaries as sources of search: those with points that they were the first to tell. Programs' own
-- conversations are theirs. In versions from before points had ids nobody can see which message is quoted.
-- PostgreSQL would read all points for EXISTS after OR; so each is looked up.
CREATE VIEW summary_sources AS
SELECT s.id, s.workspace_id, c.project_id, s.conversation_id,
    CASE c.visibility WHEN 'workspace' THEN NULL ELSE c.owner_id END AS owner_id,
    s.round_id, s.round_number, s.created_at AS said_at,
    CASE WHEN EXISTS (
        SELECT 1 FROM message_marks AS k
        WHERE k.conversation_id = s.conversation_id AND k.mark = 'local_only' AND (s.point_ids IS NULL OR (
            SELECT 1 FROM summary_points AS p CROSS JOIN json_each(p.sources) AS m
            WHERE p.summary_id = s.id AND m.value = k.message_id LIMIT 1) IS NOT NULL)
    ) THEN 1 ELSE 0 END AS local_only
FROM summaries AS s JOIN conversations AS c ON c.id = s.conversation_id
WHERE c.origin <> 'api' AND c.deleted_at IS NULL
    AND (s.point_ids IS NULL OR (SELECT 1 FROM summary_points AS p WHERE p.summary_id = s.id LIMIT 1) IS NOT NULL);

-- Where each point was said.
CREATE VIEW point_messages AS
SELECT p.workspace_id, p.summary_id, p.text, m.id AS message_id, m.round_id, r.number AS round_number,
    m.created_at AS said_at
FROM summary_points AS p CROSS JOIN json_each(p.sources) AS s
JOIN messages AS m ON m.id = s.value JOIN rounds AS r ON r.id = m.round_id;

CREATE TRIGGER summary_sources_deleted AFTER DELETE ON summaries BEGIN
    DELETE FROM sources WHERE kind = 'summary' AND source_id = OLD.id;
END;

-- What was summarised before is found too; the indexer forgets versions of which nothing holds any more.
INSERT INTO sources (workspace_id, kind, source_id, project_id, conversation_id, owner_id, media, local_only,
    round_id, round_number, said_at, state)
SELECT workspace_id, 'summary', id, project_id, conversation_id, owner_id, 'markdown', local_only,
    round_id, round_number, said_at, 'waiting'
FROM summary_sources;
