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
