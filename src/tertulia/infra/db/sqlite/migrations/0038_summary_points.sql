-- Each point of a summary is kept once, with the version that first told it; a version lists its own by their ids.
CREATE TABLE summary_points (
    id INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    summary_id TEXT NOT NULL REFERENCES summaries (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    sources TEXT NOT NULL,
    rounds TEXT NOT NULL,
    speakers TEXT NOT NULL
);
CREATE INDEX summary_points_by_summary ON summary_points (summary_id, id);
-- NULL in versions that were made before: those have their points in `points`.
ALTER TABLE summaries ADD COLUMN point_ids TEXT;
