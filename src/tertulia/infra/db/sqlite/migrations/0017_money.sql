-- What is needed to say what a reply cost when the server dies in the middle of it.
ALTER TABLE runs ADD COLUMN asked_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN prices TEXT;
-- The person who asked pays: the workspace's limit does not count it.
ALTER TABLE runs ADD COLUMN personal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spending ADD COLUMN personal INTEGER NOT NULL DEFAULT 0;
-- What limits count: at least what the provider may bill, where `cost` is what is known.
ALTER TABLE spending ADD COLUMN counted REAL NOT NULL DEFAULT 0;

-- Figures that servers reported before they were checked.
UPDATE spending SET input = min(max(input, 0), 100000000), output = min(max(output, 0), 100000000),
    cached = min(max(cached, 0), 100000000);
UPDATE spending SET cost = 0 WHERE cost < 0;
UPDATE spending SET cost = (input + output) * 0.001 WHERE cost > 10000;
UPDATE spending SET counted = cost;
UPDATE replies SET cost = NULL WHERE cost < 0 OR cost > 10000;
UPDATE replies SET usage = NULL WHERE usage IS NOT NULL AND NOT (
    coalesce(json_extract(usage, '$.input'), -1) BETWEEN 0 AND 10000000000
    AND coalesce(json_extract(usage, '$.output'), -1) BETWEEN 0 AND 10000000000
    AND coalesce(json_extract(usage, '$.cached'), 0) BETWEEN 0 AND 10000000000
    AND coalesce(json_extract(usage, '$.cache_write'), 0) BETWEEN 0 AND 10000000000
    AND coalesce(json_extract(usage, '$.thinking'), 0) BETWEEN 0 AND 10000000000
    AND coalesce(json_extract(usage, '$.cost'), 0) BETWEEN 0 AND 10000);

-- A request that starts paid work, by the key that its sender gave it: sent again, it gets the same answer.
CREATE TABLE idempotency_keys (
    workspace_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    -- The ids of what the request made.
    made TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, user_id, key)
);
CREATE INDEX idempotency_keys_by_conversation ON idempotency_keys (conversation_id);
INSERT INTO idempotency_keys (workspace_id, user_id, key, body_hash, conversation_id, made, created_at)
    SELECT workspace_id, author_id, idempotency_key, coalesce(body_hash, ''), conversation_id,
        json_array(id), created_at
    FROM rounds WHERE idempotency_key IS NOT NULL;
DROP INDEX rounds_once_a_key;
ALTER TABLE rounds DROP COLUMN idempotency_key;
ALTER TABLE rounds DROP COLUMN body_hash;
