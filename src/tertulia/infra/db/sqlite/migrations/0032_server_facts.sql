-- What is true of the whole server, for all of its processes to agree on.
CREATE TABLE server_facts (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
