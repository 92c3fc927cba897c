-- A request that is under way while an account or a workspace is deleted adds nothing to it. What nobody waits
-- for, such as how a model counts, is left out in silence.
CREATE FUNCTION refuse_deleted_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Whoever deletes it waits for this transaction, and takes along what it added.
    PERFORM 1 FROM workspaces WHERE id = NEW.workspace_id FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE foreign_key_violation USING MESSAGE = 'workspace deleted';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION skip_deleted_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM workspaces WHERE id = NEW.workspace_id FOR KEY SHARE;
    RETURN CASE WHEN FOUND THEN NEW END;
END $$;
-- Beside the deletion of an account nobody writes in the workspaces of its person: see `lock_memberships`.
CREATE FUNCTION refuse_deleted_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM users WHERE id = to_jsonb(NEW) ->> TG_ARGV[0] AND deleted_at IS NOT NULL) THEN
        RAISE foreign_key_violation USING MESSAGE = 'person deleted';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION skip_deleted_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM users WHERE id = NEW.user_id AND deleted_at IS NOT NULL;
    RETURN CASE WHEN NOT FOUND THEN NEW END;
END $$;

CREATE TRIGGER presets_of_deleted_workspace BEFORE INSERT ON presets FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_workspace();
CREATE TRIGGER connections_of_deleted_workspace BEFORE INSERT ON connections FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_workspace();
CREATE TRIGGER offered_models_of_deleted_workspace BEFORE INSERT ON offered_models FOR EACH ROW
WHEN (NEW.workspace_id <> '') EXECUTE FUNCTION skip_deleted_workspace();
CREATE TRIGGER token_ratios_of_deleted_workspace BEFORE INSERT ON token_ratios FOR EACH ROW
EXECUTE FUNCTION skip_deleted_workspace();
CREATE TRIGGER reminder_plans_of_deleted_person BEFORE INSERT ON reminder_plans FOR EACH ROW
EXECUTE FUNCTION skip_deleted_person();
CREATE TRIGGER members_of_deleted_person BEFORE INSERT ON members FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER links_of_deleted_person BEFORE INSERT ON links FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER links_by_deleted_person BEFORE INSERT ON links FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('made_by');
CREATE TRIGGER connections_of_deleted_person BEFORE INSERT ON connections FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER presets_by_deleted_person BEFORE INSERT ON presets FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('created_by');
CREATE TRIGGER tool_grants_of_deleted_person BEFORE INSERT ON tool_grants FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER citation_marks_of_deleted_person BEFORE INSERT ON citation_marks FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER retrieval_metrics_of_deleted_person BEFORE INSERT ON retrieval_metrics FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER personal_retrieval_preferences_of_deleted_person BEFORE INSERT ON personal_retrieval_preferences FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER passage_usage_of_deleted_person BEFORE INSERT ON passage_usage FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER memories_of_deleted_person BEFORE INSERT ON memories FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('owner_id');
CREATE TRIGGER memory_preferences_of_deleted_person BEFORE INSERT ON memory_preferences FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER calendar_accounts_of_deleted_person BEFORE INSERT ON calendar_accounts FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER calendars_of_deleted_person BEFORE INSERT ON calendars FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('owner_id');
CREATE TRIGGER tasks_of_deleted_person BEFORE INSERT ON tasks FOR EACH ROW
WHEN (NEW.project_id IS NULL) EXECUTE FUNCTION refuse_deleted_person('owner_id');
CREATE TRIGGER push_subscriptions_of_deleted_person BEFORE INSERT ON push_subscriptions FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER reminder_deliveries_of_deleted_person BEFORE INSERT ON reminder_deliveries FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER reminder_preferences_of_deleted_person BEFORE INSERT ON reminder_preferences FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER reminders_of_deleted_person BEFORE INSERT ON reminders FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER calendar_preferences_of_deleted_person BEFORE INSERT ON calendar_preferences FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER scheduled_tasks_of_deleted_person BEFORE INSERT ON scheduled_tasks FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER replans_of_deleted_person BEFORE INSERT ON replans FOR EACH ROW
EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER conversations_of_deleted_person BEFORE INSERT ON conversations FOR EACH ROW
WHEN (NEW.visibility <> 'workspace') EXECUTE FUNCTION refuse_deleted_person('owner_id');

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
    CAST(json_build_object('closed_user_id', id, 'closed_workspace_ids', json_build_array()) AS TEXT), 0, 0, deleted_at
FROM users WHERE deleted_at IS NOT NULL
ON CONFLICT DO NOTHING;
