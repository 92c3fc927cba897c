-- The place of a conversation in lists of the latest used: a ULID from the sequence of the ids, which grows
-- with every use whatever the clock says.
ALTER TABLE conversations ADD COLUMN sort_key TEXT NOT NULL DEFAULT '';

-- What is there keeps its order: the moment of its last use, which is no later than now, in the ten characters
-- of a ULID's time, and its rank in the rest.
UPDATE conversations SET sort_key = (
    SELECT group_concat(
        substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (ranked.moment >> shift.value & 31), 1), ''
        ORDER BY shift.value DESC)
    FROM json_each('[0, 5, 10, 15, 20, 25, 30, 35, 40, 45]') AS shift
) || printf('%016d', ranked.rank)
FROM (
    SELECT id, row_number() OVER (ORDER BY updated_at, id) AS rank,
        max(0, min(updated_at, CAST(unixepoch('subsec') * 1000 AS INTEGER))) AS moment
    FROM conversations
) AS ranked
WHERE ranked.id = conversations.id;

DROP INDEX conversations_by_owner;
DROP INDEX conversations_by_project;
DROP INDEX conversations_shared;
CREATE INDEX conversations_by_owner ON conversations (workspace_id, owner_id, sort_key);
-- Deleting a project looks for it alone; its list is chosen before that of the workspace for both columns.
CREATE INDEX conversations_by_project ON conversations (project_id, workspace_id, sort_key);
CREATE INDEX conversations_by_workspace ON conversations (workspace_id, sort_key);

-- Events that are kept tell of conversations as they were before: older than anything that is fetched now.
UPDATE events SET body = json_set(body, '$.conversation.sort_key', '')
WHERE body LIKE '{"type":"conversation.changed"%';
UPDATE events SET body = json_set(body, '$.sort_key', '') WHERE body LIKE '{"type":"round.opened"%';
