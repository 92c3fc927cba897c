-- Of each search: how many hits there were of each kind, which parts did not work, and how alike the best were.
ALTER TABLE retrieval_metrics ADD COLUMN kinds TEXT NOT NULL DEFAULT '{}';
ALTER TABLE retrieval_metrics ADD COLUMN broken TEXT NOT NULL DEFAULT '[]';
ALTER TABLE retrieval_metrics ADD COLUMN top_similarities TEXT NOT NULL DEFAULT '[]';

-- Of each prompt: what its passages took of their token budget, and how many did not fit.
CREATE TABLE passage_usage (
    reply_id TEXT PRIMARY KEY REFERENCES replies (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    budget BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    shown BIGINT NOT NULL,
    overflowed BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX passage_usage_by_time ON passage_usage (workspace_id, created_at);

-- Summaries in force, for whoever counts them.
CREATE VIEW current_summaries WITH (security_invoker = true) AS
SELECT id, workspace_id, conversation_id FROM summaries WHERE undone_at IS NULL;
