-- Whoever keeps passages notes whose headings they have.
DROP TRIGGER passages_kept;

-- The id of a row that is held, where it has one: looked for without reading JSON.
ALTER TABLE held_rows ADD COLUMN row_id TEXT;
UPDATE held_rows SET row_id = content ->> '$.id';
CREATE INDEX held_rows_by_row ON held_rows (table_name, row_id);

DROP TRIGGER file_quotes_deleted;
DROP TRIGGER held_file_quotes_deleted;
DROP TRIGGER file_headings_deleted;
DROP TRIGGER held_file_headings_deleted;
-- A file that may still be restored is not deleted for good yet.
CREATE TRIGGER file_quotes_deleted AFTER DELETE ON files
WHEN NOT EXISTS (SELECT 1 FROM held_rows WHERE table_name = 'files' AND row_id = OLD.id) BEGIN
    UPDATE tool_sources SET is_deleted = 1 WHERE source_id = OLD.id;
    DELETE FROM reply_headings WHERE file_id = OLD.id;
END;
CREATE TRIGGER held_file_quotes_deleted AFTER DELETE ON held_rows
WHEN OLD.table_name = 'files' AND NOT EXISTS (SELECT 1 FROM files WHERE id = OLD.row_id) BEGIN
    UPDATE tool_sources SET is_deleted = 1 WHERE source_id = OLD.row_id;
    DELETE FROM reply_headings WHERE file_id = OLD.row_id;
END;

-- The schema about itself, in the same words on every engine.
CREATE VIEW foreign_keys AS
SELECT t.name AS table_name, k."from" AS column_name, k."table" AS parent_table, k."to" AS parent_column, k.on_delete
FROM sqlite_schema AS t JOIN pragma_foreign_key_list(t.name) AS k
WHERE t.type = 'table';
CREATE VIEW table_columns AS
SELECT t.name AS table_name, c.name AS column_name, c.cid AS place
FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
WHERE t.type = 'table';
