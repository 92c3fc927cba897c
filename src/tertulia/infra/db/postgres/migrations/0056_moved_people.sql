-- A person who moves does so in all their workspaces, whichever of them the transaction may see.
CREATE OR REPLACE FUNCTION person_reminders_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    seen TEXT := coalesce(current_setting('tertulia.workspace', true), '');
BEGIN
    PERFORM set_config('tertulia.workspace', '*', true);
    UPDATE reminder_plans SET look_at = 0, version = version + 1 WHERE user_id = NEW.id;
    PERFORM set_config('tertulia.workspace', seen, true);
    RETURN NULL;
END $$;
