-- A request that is under way while an account or a workspace is deleted adds nothing to it. What nobody waits
-- for, such as how a model counts, is left out in silence.
CREATE TRIGGER presets_of_deleted_workspace BEFORE INSERT ON presets
WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
    SELECT RAISE(ABORT, 'workspace deleted');
END;
CREATE TRIGGER connections_of_deleted_workspace BEFORE INSERT ON connections
WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
    SELECT RAISE(ABORT, 'workspace deleted');
END;
CREATE TRIGGER offered_models_of_deleted_workspace BEFORE INSERT ON offered_models
WHEN NEW.workspace_id <> '' AND NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
    SELECT RAISE(IGNORE);
END;
CREATE TRIGGER token_ratios_of_deleted_workspace BEFORE INSERT ON token_ratios
WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
    SELECT RAISE(IGNORE);
END;
CREATE TRIGGER reminder_plans_of_deleted_person BEFORE INSERT ON reminder_plans
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(IGNORE);
END;
CREATE TRIGGER members_of_deleted_person BEFORE INSERT ON members
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER links_of_deleted_person BEFORE INSERT ON links
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER links_by_deleted_person BEFORE INSERT ON links
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.made_by AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER connections_of_deleted_person BEFORE INSERT ON connections
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER presets_by_deleted_person BEFORE INSERT ON presets
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.created_by AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER tool_grants_of_deleted_person BEFORE INSERT ON tool_grants
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER citation_marks_of_deleted_person BEFORE INSERT ON citation_marks
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER retrieval_metrics_of_deleted_person BEFORE INSERT ON retrieval_metrics
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER personal_retrieval_preferences_of_deleted_person BEFORE INSERT ON personal_retrieval_preferences
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER passage_usage_of_deleted_person BEFORE INSERT ON passage_usage
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER memories_of_deleted_person BEFORE INSERT ON memories
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.owner_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER memory_preferences_of_deleted_person BEFORE INSERT ON memory_preferences
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER calendar_accounts_of_deleted_person BEFORE INSERT ON calendar_accounts
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER calendars_of_deleted_person BEFORE INSERT ON calendars
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.owner_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER tasks_of_deleted_person BEFORE INSERT ON tasks
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.owner_id AND deleted_at IS NOT NULL) AND NEW.project_id IS NULL BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER push_subscriptions_of_deleted_person BEFORE INSERT ON push_subscriptions
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER reminder_deliveries_of_deleted_person BEFORE INSERT ON reminder_deliveries
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER reminder_preferences_of_deleted_person BEFORE INSERT ON reminder_preferences
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER reminders_of_deleted_person BEFORE INSERT ON reminders
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER calendar_preferences_of_deleted_person BEFORE INSERT ON calendar_preferences
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER scheduled_tasks_of_deleted_person BEFORE INSERT ON scheduled_tasks
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER replans_of_deleted_person BEFORE INSERT ON replans
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;
CREATE TRIGGER conversations_of_deleted_person BEFORE INSERT ON conversations
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.owner_id AND deleted_at IS NOT NULL) AND NEW.visibility <> 'workspace' BEGIN
    SELECT RAISE(ABORT, 'person deleted');
END;

-- What was added to a workspace in the moment of its deletion.
DELETE FROM preset_removed_servers WHERE preset_id IN (
    SELECT id FROM presets WHERE workspace_id NOT IN (SELECT id FROM workspaces));
DELETE FROM presets WHERE workspace_id NOT IN (SELECT id FROM workspaces);
DELETE FROM connections WHERE workspace_id NOT IN (SELECT id FROM workspaces);
DELETE FROM offered_models WHERE workspace_id <> '' AND workspace_id NOT IN (SELECT id FROM workspaces);
DELETE FROM token_ratios WHERE workspace_id NOT IN (SELECT id FROM workspaces);
-- What was added to an account in that moment goes with a job that processes of the version before do not know.
INSERT INTO jobs (id, kind, key, payload, run_at, wait_ms, created_at)
SELECT 'job_' || substr(id, 5), 'account_leftovers', 'account_leftovers:' || id,
    json_object('closed_user_id', id, 'closed_workspace_ids', json_array()), 0, 0, deleted_at
FROM users WHERE deleted_at IS NOT NULL ON CONFLICT DO NOTHING;
