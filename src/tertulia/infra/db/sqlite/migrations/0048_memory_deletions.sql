-- When a memory was deleted, while that can be undone: until then nobody sees it.
ALTER TABLE memories ADD COLUMN deleted_at INTEGER;

-- What was superseded by something that is gone is history that its person may let hold again.
CREATE TRIGGER memories_left_alone AFTER UPDATE OF superseded_by ON memories
WHEN OLD.superseded_by IS NOT NULL AND NEW.superseded_by IS NULL AND NEW.status = 'superseded'
    AND NEW.is_version = 0 BEGIN
    UPDATE memories SET status = 'archived' WHERE id = NEW.id;
END;
