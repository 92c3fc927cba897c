-- A round takes those that follow it with it, one within the other, and SQLite nests no more than a thousand: in a
-- conversation that goes, rounds go with it alone.
CREATE TRIGGER rounds_unlinked BEFORE DELETE ON conversations BEGIN
    UPDATE rounds SET parent_id = NULL WHERE conversation_id = OLD.id;
END;
