-- When a person works, and how they like their time to be planned.
CREATE TABLE calendar_preferences (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    -- Empty: that of the person's profile.
    time_zone TEXT NOT NULL DEFAULT '',
    working_hours TEXT NOT NULL,
    buffer_minutes BIGINT NOT NULL DEFAULT 0,
    preferred_times TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (workspace_id, user_id)
);

-- Tasks on a person's calendar: a project's task is everybody's, but each has it on a calendar of their own.
-- `removal_id` is the deletion of the event that followed from the task's being done or deleted.
CREATE TABLE scheduled_tasks (
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    object_id TEXT NOT NULL REFERENCES calendar_objects (id) ON DELETE CASCADE,
    pinned BIGINT NOT NULL DEFAULT 0,
    removal_id TEXT,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (task_id, user_id)
);
CREATE UNIQUE INDEX scheduled_tasks_by_object ON scheduled_tasks (object_id);
CREATE INDEX scheduled_tasks_by_person ON scheduled_tasks (workspace_id, user_id);

-- When what is scheduled lies, for whoever shows tasks; only its person may be told.
CREATE VIEW task_schedules WITH (security_invoker = true) AS
SELECT s.workspace_id, s.user_id, s.task_id, o.id AS event_id, o.calendar_id, o.starts_at, o.ends_at, s.pinned
FROM scheduled_tasks AS s JOIN calendar_objects AS o ON o.id = s.object_id
WHERE o.deleted_at IS NULL AND o.pending <> 'delete';

-- What a replan moved, so that it can be undone: ids and times, no words.
CREATE TABLE replans (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    moves TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    undone_at BIGINT
);
CREATE INDEX replans_by_person ON replans (workspace_id, user_id, id);
