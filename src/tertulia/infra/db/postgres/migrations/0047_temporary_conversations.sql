-- When a temporary conversation is deleted; null for one that stays.
ALTER TABLE conversations ADD COLUMN expires_at BIGINT;
CREATE INDEX conversations_temporary ON conversations (expires_at) WHERE expires_at IS NOT NULL;
