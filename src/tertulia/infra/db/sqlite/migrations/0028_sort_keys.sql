-- Lists that went by moments go by ULIDs from the sequence of the ids, whatever the clock says: members by the
-- order in which they joined, sessions by that of their last use, summaries by that in which they were undone.
ALTER TABLE members ADD COLUMN sort_key TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN sort_key TEXT NOT NULL DEFAULT '';
ALTER TABLE summaries ADD COLUMN undo_sort_key TEXT NOT NULL DEFAULT '';

-- What is there keeps its order: the moment, which is no later than now, in the ten characters of a ULID's time,
-- and its rank in the rest.
UPDATE members SET sort_key = (
    SELECT group_concat(
        substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (ranked.moment >> shift.value & 31), 1), ''
        ORDER BY shift.value DESC)
    FROM json_each('[0, 5, 10, 15, 20, 25, 30, 35, 40, 45]') AS shift
) || printf('%016d', ranked.rank)
FROM (
    SELECT rowid AS row, row_number() OVER (ORDER BY joined_at, rowid) AS rank,
        max(0, min(joined_at, CAST(unixepoch('subsec') * 1000 AS INTEGER))) AS moment
    FROM members
) AS ranked
WHERE ranked.row = members.rowid;

UPDATE sessions SET sort_key = (
    SELECT group_concat(
        substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (ranked.moment >> shift.value & 31), 1), ''
        ORDER BY shift.value DESC)
    FROM json_each('[0, 5, 10, 15, 20, 25, 30, 35, 40, 45]') AS shift
) || printf('%016d', ranked.rank)
FROM (
    SELECT rowid AS row, row_number() OVER (ORDER BY last_seen_at, rowid) AS rank,
        max(0, min(last_seen_at, CAST(unixepoch('subsec') * 1000 AS INTEGER))) AS moment
    FROM sessions
) AS ranked
WHERE ranked.row = sessions.rowid;

UPDATE summaries SET undo_sort_key = (
    SELECT group_concat(
        substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (ranked.moment >> shift.value & 31), 1), ''
        ORDER BY shift.value DESC)
    FROM json_each('[0, 5, 10, 15, 20, 25, 30, 35, 40, 45]') AS shift
) || printf('%016d', ranked.rank)
FROM (
    SELECT rowid AS row, row_number() OVER (ORDER BY undone_at, rowid) AS rank,
        max(0, min(undone_at, CAST(unixepoch('subsec') * 1000 AS INTEGER))) AS moment
    FROM summaries
    WHERE undone_at IS NOT NULL
) AS ranked
WHERE ranked.row = summaries.rowid;
