-- What members wrote about themselves. A row is there from consent until that is revoked or the membership
-- ends, so that without consent there is no place for a word of it. `updated_at` is NULL until they write.
CREATE TABLE profiles (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    consented_at BIGINT NOT NULL,
    updated_at BIGINT,
    coding_style TEXT NOT NULL DEFAULT '',
    preferred_languages TEXT NOT NULL DEFAULT '[]',
    framework_experience TEXT NOT NULL DEFAULT '[]',
    project_goals TEXT NOT NULL DEFAULT '',
    domain TEXT NOT NULL DEFAULT '',
    constraints TEXT NOT NULL DEFAULT '',
    freeform_notes TEXT NOT NULL DEFAULT '',
    UNIQUE (workspace_id, user_id),
    FOREIGN KEY (workspace_id, user_id) REFERENCES members (workspace_id, user_id) ON DELETE CASCADE
);

-- Who consented, and when, for whoever has to know that alone.
CREATE VIEW profile_consents WITH (security_invoker = true) AS
SELECT workspace_id, user_id, consented_at FROM profiles;
