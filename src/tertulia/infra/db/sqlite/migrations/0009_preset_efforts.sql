-- How long each model of a preset should think, beside its models; empty: as they like.
ALTER TABLE presets ADD COLUMN efforts TEXT NOT NULL DEFAULT '[]';
