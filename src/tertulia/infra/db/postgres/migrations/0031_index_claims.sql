-- Which process indexes a text, until when that is sure, and in which state of the text it took it up.
ALTER TABLE sources ADD COLUMN worker TEXT;
ALTER TABLE sources ADD COLUMN claimed_until BIGINT;
ALTER TABLE sources ADD COLUMN claimed_revision BIGINT;
CREATE INDEX sources_by_claim ON sources (worker) WHERE worker IS NOT NULL;
