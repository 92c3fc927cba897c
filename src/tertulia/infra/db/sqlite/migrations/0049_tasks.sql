-- Parts of a project's work, in order. One that was deleted stays for as long as that can be undone.
CREATE TABLE phases (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    start_date TEXT,
    end_date TEXT,
    position INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    deleted_at INTEGER
);
CREATE INDEX phases_by_project ON phases (project_id, position, id);
CREATE INDEX phases_by_workspace ON phases (workspace_id);

-- What people want to do. A project's tasks are every member's; one without a project is its owner's alone.
CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    owner_id TEXT NOT NULL REFERENCES users (id),
    -- `person`, or the model that made it.
    made_by TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL,
    priority TEXT NOT NULL,
    task_type TEXT NOT NULL,
    rrule TEXT NOT NULL DEFAULT '',
    duration_minutes INTEGER,
    start_date TEXT,
    due_date TEXT,
    phase_id TEXT REFERENCES phases (id) ON DELETE SET NULL,
    assignee_id TEXT REFERENCES users (id),
    tags TEXT NOT NULL DEFAULT '[]',
    position INTEGER NOT NULL,
    -- The id of the first task of a recurring one, and the day from which its rule counts.
    series_id TEXT,
    series_start TEXT,
    -- The occurrence that was done before this one: each makes one next.
    previous_id TEXT REFERENCES tasks (id) ON DELETE SET NULL,
    completed_at INTEGER,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    -- While a deletion can be undone: when it was, and together with which others.
    deleted_at INTEGER,
    deletion_group TEXT
);
CREATE INDEX tasks_by_position ON tasks (workspace_id, position, id);
CREATE INDEX tasks_by_day ON tasks (workspace_id, coalesce(due_date, start_date));
CREATE INDEX tasks_by_project ON tasks (project_id, position, id);
CREATE INDEX tasks_by_owner ON tasks (owner_id, workspace_id);
CREATE INDEX tasks_by_phase ON tasks (phase_id);
CREATE INDEX tasks_by_assignee ON tasks (assignee_id);
CREATE INDEX tasks_by_series ON tasks (series_id);
CREATE UNIQUE INDEX tasks_by_previous ON tasks (previous_id);
CREATE INDEX tasks_by_deletion ON tasks (deletion_group) WHERE deletion_group IS NOT NULL;

-- Where a task was made, is talked about or was mentioned.
CREATE TABLE task_links (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    -- A reply that is still being written is no message yet.
    message_id TEXT,
    kind TEXT NOT NULL
);
CREATE INDEX task_links_by_task ON task_links (task_id, id);
CREATE INDEX task_links_by_conversation ON task_links (conversation_id);

-- What became of a task: each field that changed, before and after.
CREATE TABLE task_changes (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    made_by TEXT NOT NULL,
    kind TEXT NOT NULL,
    fields TEXT NOT NULL DEFAULT '{}',
    changed_at INTEGER NOT NULL
);
CREATE INDEX task_changes_by_task ON task_changes (task_id, id);

CREATE TRIGGER task_sources_deleted AFTER DELETE ON tasks BEGIN
    DELETE FROM sources WHERE kind = 'task' AND source_id = OLD.id;
END;

-- In which conversation a message or a reply stands, for whoever has to know that alone.
CREATE VIEW message_places AS
SELECT id, workspace_id, conversation_id FROM messages
UNION ALL SELECT id, workspace_id, conversation_id FROM replies;

CREATE INDEX conversations_by_task ON conversations (anchor_id) WHERE anchor = 'task';
