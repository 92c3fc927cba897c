-- What was mentioned in conversations: people, places, days, numbers. An entity is known by the form in which it was
-- found; what a person writes instead is kept beside it, so that it holds when the same is found again.
CREATE TABLE entities (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    found_type TEXT NOT NULL,
    found_normal TEXT NOT NULL,
    edited_type TEXT,
    edited_value TEXT,
    is_hidden BIGINT NOT NULL DEFAULT 0,
    UNIQUE (conversation_id, found_type, found_normal)
);

-- Where each was mentioned, and which entity is corrected there.
CREATE TABLE entity_mentions (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    start_char BIGINT NOT NULL,
    end_char BIGINT NOT NULL,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    round_number BIGINT NOT NULL,
    is_from_person BIGINT NOT NULL,
    value TEXT NOT NULL,
    label TEXT NOT NULL,
    corrected_id TEXT REFERENCES entities (id) ON DELETE SET NULL,
    PRIMARY KEY (message_id, start_char)
);
CREATE INDEX entity_mentions_by_entity ON entity_mentions (entity_id);
CREATE INDEX entity_mentions_by_conversation ON entity_mentions (conversation_id);
CREATE INDEX entity_mentions_by_corrected ON entity_mentions (corrected_id);

-- Messages that were looked through.
CREATE TABLE entity_reads (
    message_id TEXT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE
);
CREATE INDEX entity_reads_by_conversation ON entity_reads (conversation_id);

-- What is mentioned nowhere any more is gone.
CREATE FUNCTION entity_mention_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM entities WHERE id = OLD.entity_id
        AND NOT EXISTS (SELECT 1 FROM entity_mentions AS m WHERE m.entity_id = OLD.entity_id);
    RETURN NULL;
END $$;
CREATE TRIGGER entity_mentions_deleted AFTER DELETE ON entity_mentions FOR EACH ROW
EXECUTE FUNCTION entity_mention_deleted();
