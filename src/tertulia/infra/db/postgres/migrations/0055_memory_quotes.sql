-- What a call quotes of a memory is erased with it, as what it quotes of a file or a conversation is.
CREATE FUNCTION memory_quotes_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tool_sources SET is_deleted = 1
    WHERE source_id = OLD.id AND find_quoting_conversation(reply_id) IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER memory_quotes_deleted AFTER DELETE ON memories FOR EACH ROW
EXECUTE FUNCTION memory_quotes_deleted();
-- One that was deleted while the call ran.
CREATE FUNCTION deleted_memory_quoted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tool_sources SET is_deleted = 1
    WHERE source_id = NEW.source_id AND reply_id = NEW.reply_id AND call_id = NEW.call_id
      AND NOT EXISTS (SELECT 1 FROM memories WHERE id = NEW.source_id);
    RETURN NULL;
END $$;
CREATE TRIGGER deleted_memory_quoted AFTER INSERT ON tool_sources FOR EACH ROW
WHEN (starts_with(NEW.source_id, 'mem_')) EXECUTE FUNCTION deleted_memory_quoted();

-- Which memories earlier calls quoted is not known, nor whose they were: what they gave is erased.
INSERT INTO tool_sources (source_id, reply_id, call_id, workspace_id)
SELECT 'mem_', reply_id, id, workspace_id FROM tool_runs WHERE name = 'search_memory';
