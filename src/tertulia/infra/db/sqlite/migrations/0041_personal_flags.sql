-- What of retrieval members may decide for themselves: names of flags, NULL for all that can be so decided.
ALTER TABLE retrieval_preferences ADD COLUMN personal_flags TEXT;
ALTER TABLE retrieval_preferences ADD COLUMN personal_token_budget_max INTEGER;

CREATE TABLE personal_retrieval_preferences (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    chosen TEXT NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);
