-- How many tokens a model reports for each one that we count, where its vocabulary is not known.
CREATE TABLE token_ratios (
    workspace_id TEXT NOT NULL,
    model TEXT NOT NULL,
    ratio REAL NOT NULL,
    samples INTEGER NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, model)
);
