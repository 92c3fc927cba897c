-- Somebody who left a workspace may come back to it with the number of an event of their earlier feed: the
-- numbers go on, and one is left out, so that they are told to fetch everything anew.
DROP TRIGGER member_feed_deleted;
CREATE TRIGGER member_feed_deleted AFTER DELETE ON members BEGIN
    DELETE FROM events WHERE topic = OLD.workspace_id || '/' || OLD.user_id;
    INSERT INTO topics (topic, last_seq) VALUES (OLD.workspace_id || '/' || OLD.user_id, 1)
    ON CONFLICT (topic) DO UPDATE SET last_seq = last_seq + 1;
END;
CREATE TRIGGER workspace_feeds_deleted AFTER DELETE ON workspaces BEGIN
    DELETE FROM topics WHERE topic > OLD.id || '/' AND topic < OLD.id || '0';
END;
