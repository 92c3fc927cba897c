-- What is remembered of people and projects, or waits to be approved. Memories go with the message that is their
-- evidence; those that a person wrote by hand have none.
CREATE TABLE memories (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    owner_id TEXT,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    created_by TEXT NOT NULL,
    made_by TEXT NOT NULL,
    type TEXT NOT NULL,
    category TEXT NOT NULL DEFAULT '',
    content TEXT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL DEFAULT 1,
    pinned BIGINT NOT NULL DEFAULT 0,
    local_only BIGINT NOT NULL DEFAULT 0,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    last_used_at BIGINT,
    use_count BIGINT NOT NULL DEFAULT 0,
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
    message_id TEXT REFERENCES messages (id) ON DELETE CASCADE,
    start_char BIGINT NOT NULL DEFAULT 0,
    end_char BIGINT NOT NULL DEFAULT 0,
    quote TEXT NOT NULL DEFAULT '',
    superseded_by TEXT REFERENCES memories (id) ON DELETE SET NULL,
    supersedes TEXT REFERENCES memories (id) ON DELETE SET NULL,
    is_version BIGINT NOT NULL DEFAULT 0,
    review_reason TEXT NOT NULL DEFAULT ''
);
CREATE INDEX memories_by_owner ON memories (workspace_id, owner_id, status, id);
CREATE INDEX memories_by_project ON memories (project_id, status, id);
CREATE INDEX memories_by_message ON memories (message_id);
CREATE INDEX memories_by_conversation ON memories (conversation_id);
CREATE INDEX memories_superseded_by ON memories (superseded_by);
CREATE INDEX memories_supersedes ON memories (supersedes);

-- Words by which a memory on the same subject is looked up.
CREATE TABLE memory_words (
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (memory_id, word)
);
CREATE INDEX memory_words_by_word ON memory_words (word, workspace_id);

-- Types that a person lets be taken without asking, and whether conversations at rest are looked through.
CREATE TABLE memory_preferences (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    taken_types TEXT NOT NULL DEFAULT '[]',
    in_background BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, user_id)
);

CREATE TRIGGER memory_sources_deleted AFTER DELETE ON memories FOR EACH ROW
EXECUTE FUNCTION source_deleted('memory');

CREATE INDEX memories_pinned ON memories (workspace_id, owner_id) WHERE pinned = 1;

-- While a conversation's deletion can be undone, what was remembered of it is not found either.
CREATE FUNCTION memories_with_conversation_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM sources WHERE kind = 'memory'
        AND source_id IN (SELECT id FROM memories WHERE conversation_id = NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER memories_with_conversation_deleted AFTER UPDATE OF deleted_at ON conversations FOR EACH ROW
WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
EXECUTE FUNCTION memories_with_conversation_deleted();
CREATE FUNCTION memories_with_conversation_restored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO sources (workspace_id, kind, source_id, project_id, owner_id, local_only, said_at, state)
    SELECT workspace_id, 'memory', id, project_id, owner_id, local_only, created_at, 'waiting'
    FROM memories WHERE conversation_id = NEW.id AND status = 'active';
    RETURN NULL;
END $$;
CREATE TRIGGER memories_with_conversation_restored AFTER UPDATE OF deleted_at ON conversations FOR EACH ROW
WHEN (OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL)
EXECUTE FUNCTION memories_with_conversation_restored();
