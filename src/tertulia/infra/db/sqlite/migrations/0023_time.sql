-- Work for later is due by the time since the machine was started, which no setting of its clock changes.
-- What lies further ahead than it was to wait was queued before the machine was last started, and is due at
-- once: so is all that was queued by the clock until now.
ALTER TABLE jobs ADD COLUMN wait_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pending_deletions RENAME COLUMN restore_until TO restore_until_uptime;
ALTER TABLE pending_deletions ADD COLUMN window_ms INTEGER NOT NULL DEFAULT 0;
