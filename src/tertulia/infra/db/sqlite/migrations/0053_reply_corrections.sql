-- What a call comes to as a person reads it, the tasks and events that it wrote, and whether what it gave is
-- for nobody but the person on whose behalf it ran.
ALTER TABLE tool_runs ADD COLUMN summary TEXT NOT NULL DEFAULT '';
ALTER TABLE tool_runs ADD COLUMN written TEXT NOT NULL DEFAULT '[]';
ALTER TABLE tool_runs ADD COLUMN is_private INTEGER NOT NULL DEFAULT 0;

-- Days that a reply names wrongly of what its tools have just written, each with the right one.
ALTER TABLE replies ADD COLUMN corrections TEXT NOT NULL DEFAULT '[]';
