-- The servers that a preset names although its author removed them, and that only they could ask: what a preset
-- of a deleted account must not go on naming.
CREATE TABLE preset_removed_servers (
    preset_id TEXT NOT NULL REFERENCES presets (id) ON DELETE CASCADE,
    slug TEXT NOT NULL,
    PRIMARY KEY (preset_id, slug)
);
CREATE TRIGGER preset_servers_removed AFTER DELETE ON connections
WHEN OLD.user_id IS NOT NULL AND OLD.slug <> OLD.kind BEGIN
    INSERT INTO preset_removed_servers (preset_id, slug)
    SELECT id, OLD.slug FROM presets
    WHERE workspace_id = OLD.workspace_id AND created_by = OLD.user_id
      AND instr(lower('"' || coalesce(merge_model, '') || models), '"' || lower(OLD.slug) || '/') > 0
    ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER preset_servers_changed AFTER UPDATE OF models, merge_model ON presets BEGIN
    DELETE FROM preset_removed_servers
    WHERE preset_id = NEW.id
      AND instr(lower('"' || coalesce(NEW.merge_model, '') || NEW.models), '"' || lower(slug) || '/') = 0;
END;
