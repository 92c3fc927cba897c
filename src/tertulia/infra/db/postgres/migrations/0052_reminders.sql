-- How a person wants to be reminded.
CREATE TABLE reminder_preferences (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    -- `app`, `email` and `push`, as far as they are wanted.
    channels TEXT NOT NULL,
    reminds_of_tasks BIGINT NOT NULL,
    -- When in a day they are reminded of what is due on it, in minutes after midnight.
    task_minute BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX reminder_preferences_by_person ON reminder_preferences (user_id);

-- When next to look for what somebody is to be reminded of. `look_at` is 0 after a change of theirs, and later
-- than `planned_at` while somebody looks; `version` tells a change that came meanwhile.
CREATE TABLE reminder_plans (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    look_at BIGINT NOT NULL DEFAULT 0,
    planned_at BIGINT,
    version BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX reminder_plans_by_time ON reminder_plans (look_at);
CREATE INDEX reminder_plans_by_workspace ON reminder_plans (workspace_id);
CREATE INDEX reminder_plans_by_person ON reminder_plans (user_id);

-- What somebody was reminded of, once each: `occurrence` names the time of an event, or the due day of a task.
-- No words: they are read from the event or the task.
CREATE TABLE reminders (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    occurrence TEXT NOT NULL,
    recurrence_id TEXT,
    minutes BIGINT NOT NULL,
    -- When it was due, and when the event begins.
    due_at BIGINT NOT NULL,
    starts_at BIGINT NOT NULL,
    is_late BIGINT NOT NULL,
    snoozed_until BIGINT,
    dismissed_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX reminders_by_subject ON reminders (user_id, workspace_id, kind, subject_id, occurrence, minutes);
CREATE INDEX reminders_by_person ON reminders (workspace_id, user_id, due_at, id);
CREATE INDEX reminders_by_time ON reminders (due_at);

-- A browser that shows notifications, for as long as the sign-in holds with which it asked for them. Where its
-- messages are sent to, and what encrypts them, is sealed.
CREATE TABLE push_subscriptions (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    credential_id TEXT NOT NULL,
    endpoint_digest TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX push_subscriptions_by_endpoint ON push_subscriptions (endpoint_digest, workspace_id);
CREATE INDEX push_subscriptions_by_person ON push_subscriptions (workspace_id, user_id, id);
CREATE INDEX push_subscriptions_by_user ON push_subscriptions (user_id);

-- A reminder on its way by one channel: to `target`, which is a subscription where the channel is push.
CREATE TABLE reminder_deliveries (
    reminder_id TEXT NOT NULL REFERENCES reminders (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    target TEXT NOT NULL DEFAULT '',
    workspace_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    -- `waiting`, `sending`, `sent`, `failed`, `dropped`, or `unknown` where nobody can tell whether it went out.
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    send_at BIGINT NOT NULL,
    lease_until BIGINT,
    -- Who has claimed it.
    claim TEXT NOT NULL DEFAULT '',
    problem TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (reminder_id, channel, target)
);
CREATE INDEX reminder_deliveries_waiting ON reminder_deliveries (channel, send_at) WHERE status = 'waiting';
CREATE INDEX reminder_deliveries_sending ON reminder_deliveries (lease_until) WHERE status = 'sending';
CREATE INDEX reminder_deliveries_by_person ON reminder_deliveries (user_id);

CREATE FUNCTION plan_reminders(workspace TEXT, person TEXT) RETURNS void LANGUAGE sql AS $$
    INSERT INTO reminder_plans (id, workspace_id, user_id) VALUES (workspace || '/' || person, workspace, person)
    ON CONFLICT (id) DO UPDATE SET look_at = 0, version = reminder_plans.version + 1;
$$;
CREATE FUNCTION task_reminders_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM plan_reminders(NEW.workspace_id, coalesce(NEW.assignee_id, NEW.owner_id));
    RETURN NULL;
END $$;
CREATE FUNCTION event_reminders_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM plan_reminders(NEW.workspace_id, NEW.owner_id);
    RETURN NULL;
END $$;
CREATE FUNCTION planner_reminders_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE reminder_plans SET look_at = 0, version = version + 1
    WHERE user_id = NEW.user_id AND workspace_id = NEW.workspace_id;
    RETURN NULL;
END $$;
CREATE FUNCTION person_reminders_moved() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE reminder_plans SET look_at = 0, version = version + 1 WHERE user_id = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER reminders_of_new_task AFTER INSERT ON tasks FOR EACH ROW
WHEN (NEW.due_date IS NOT NULL AND NEW.status <> 'done' AND NEW.deleted_at IS NULL)
EXECUTE FUNCTION task_reminders_changed();
CREATE TRIGGER reminders_of_changed_task
AFTER UPDATE OF due_date, status, owner_id, assignee_id, project_id, deleted_at ON tasks FOR EACH ROW
WHEN (NEW.due_date IS NOT NULL AND NEW.status <> 'done' AND NEW.deleted_at IS NULL)
EXECUTE FUNCTION task_reminders_changed();
CREATE TRIGGER reminders_of_new_event AFTER INSERT ON calendar_objects FOR EACH ROW
WHEN (NEW.deleted_at IS NULL) EXECUTE FUNCTION event_reminders_changed();
CREATE TRIGGER reminders_of_changed_event AFTER UPDATE OF ics, calendar_id, pending, deleted_at
ON calendar_objects FOR EACH ROW
WHEN (NEW.deleted_at IS NULL) EXECUTE FUNCTION event_reminders_changed();
CREATE TRIGGER reminders_of_restored_calendar AFTER UPDATE OF deleted_at ON calendars FOR EACH ROW
WHEN (NEW.deleted_at IS NULL AND OLD.deleted_at IS NOT NULL) EXECUTE FUNCTION event_reminders_changed();
CREATE TRIGGER reminders_of_first_preferences AFTER INSERT ON calendar_preferences FOR EACH ROW
EXECUTE FUNCTION planner_reminders_changed();
CREATE TRIGGER reminders_of_changed_preferences AFTER UPDATE OF time_zone ON calendar_preferences FOR EACH ROW
EXECUTE FUNCTION planner_reminders_changed();
CREATE TRIGGER reminders_of_moved_person AFTER UPDATE OF time_zone ON users FOR EACH ROW
EXECUTE FUNCTION person_reminders_moved();
