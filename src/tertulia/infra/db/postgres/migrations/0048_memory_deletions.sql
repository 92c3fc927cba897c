-- When a memory was deleted, while that can be undone: until then nobody sees it.
ALTER TABLE memories ADD COLUMN deleted_at BIGINT;

-- What was superseded by something that is gone is history that its person may let hold again.
CREATE FUNCTION memories_left_alone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE memories SET status = 'archived' WHERE id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER memories_left_alone AFTER UPDATE OF superseded_by ON memories FOR EACH ROW
WHEN (OLD.superseded_by IS NOT NULL AND NEW.superseded_by IS NULL AND NEW.status = 'superseded'
    AND NEW.is_version = 0)
EXECUTE FUNCTION memories_left_alone();
