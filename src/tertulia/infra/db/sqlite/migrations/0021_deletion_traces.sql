-- What was learnt of a connection's models names the connection, and goes with it.
CREATE TRIGGER connection_ratios_deleted AFTER DELETE ON connections BEGIN
    DELETE FROM token_ratios
    WHERE workspace_id = OLD.workspace_id AND substr(model, 1, length(OLD.slug) + 1) = OLD.slug || '/';
END;

-- Rows that were held for an undo are deleted after the rows that they were copied from.
CREATE TRIGGER held_rows_to_compact AFTER DELETE ON pending_deletions BEGIN
    INSERT INTO deletions (kind, at) VALUES ('undo', CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
