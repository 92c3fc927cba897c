-- How a server of tools stood when a process last met it, and why, for all processes to say the same.
ALTER TABLE tool_servers ADD COLUMN status TEXT NOT NULL DEFAULT 'unknown';
ALTER TABLE tool_servers ADD COLUMN problem TEXT NOT NULL DEFAULT '';
