-- Accounts at servers of calendars. The secret is sealed; after failures the next sync waits longer.
CREATE TABLE calendar_accounts (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    username TEXT NOT NULL,
    -- `basic`, or `bearer` for a token.
    auth TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    -- Where the calendars of the account are listed.
    home_url TEXT NOT NULL DEFAULT '',
    problem TEXT NOT NULL DEFAULT '',
    failures INTEGER NOT NULL DEFAULT 0,
    next_sync_at INTEGER,
    last_synced_at INTEGER,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL
);
CREATE INDEX calendar_accounts_by_person ON calendar_accounts (workspace_id, user_id, id);
CREATE INDEX calendar_accounts_by_user ON calendar_accounts (user_id);
CREATE INDEX calendar_accounts_by_sync ON calendar_accounts (next_sync_at);

-- Calendars, each its owner's alone. One that was deleted stays for as long as that can be undone.
CREATE TABLE calendars (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    owner_id TEXT NOT NULL REFERENCES users (id),
    account_id TEXT REFERENCES calendar_accounts (id) ON DELETE CASCADE,
    -- `builtin`, or `caldav` for one of an account.
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    color TEXT NOT NULL DEFAULT '',
    is_default INTEGER NOT NULL DEFAULT 0,
    is_shown INTEGER NOT NULL DEFAULT 1,
    is_blocking INTEGER NOT NULL DEFAULT 1,
    is_writable INTEGER NOT NULL DEFAULT 1,
    url TEXT NOT NULL DEFAULT '',
    sync_token TEXT NOT NULL DEFAULT '',
    ctag TEXT NOT NULL DEFAULT '',
    last_synced_at INTEGER,
    problem TEXT NOT NULL DEFAULT '',
    -- A digest of the secret address under which it can be subscribed to.
    subscription_hash TEXT,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    deleted_at INTEGER
);
CREATE INDEX calendars_by_owner ON calendars (workspace_id, owner_id, id);
CREATE INDEX calendars_by_user ON calendars (owner_id);
CREATE INDEX calendars_by_account ON calendars (account_id);
CREATE UNIQUE INDEX calendars_by_subscription ON calendars (subscription_hash);

-- Events: all that is known of a UID, as iCalendar, with the exceptions of a series. `ics` is the truth;
-- the other columns follow from it, for looking events up without reading it.
CREATE TABLE calendar_objects (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    calendar_id TEXT NOT NULL REFERENCES calendars (id) ON DELETE CASCADE,
    owner_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    ics TEXT NOT NULL,
    revision INTEGER NOT NULL,
    -- From the first start to the last end. Where `is_zoned` is 0, of an all-day or a floating event, they are
    -- what a clock shows there, as if that were UTC.
    starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    is_zoned INTEGER NOT NULL,
    is_recurring INTEGER NOT NULL,
    -- Whether it takes time: neither transparent nor cancelled.
    is_busy INTEGER NOT NULL,
    -- The words by which it is found.
    title TEXT NOT NULL,
    search_text TEXT NOT NULL DEFAULT '',
    -- What the server of the calendar last had: where, in which version, and what.
    href TEXT NOT NULL DEFAULT '',
    etag TEXT NOT NULL DEFAULT '',
    base_ics TEXT NOT NULL DEFAULT '',
    -- What the server does not know yet: '', `create`, `update` or `delete`.
    pending TEXT NOT NULL DEFAULT '',
    problem TEXT NOT NULL DEFAULT '',
    -- `person`, or the model that made it.
    made_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    deleted_at INTEGER
);
-- By the calendar alone SQLite would take the index of the workspace, and read the events of everybody in it.
CREATE INDEX calendar_objects_by_time ON calendar_objects (calendar_id, workspace_id, ends_at, starts_at);
CREATE INDEX calendar_objects_by_uid ON calendar_objects (calendar_id, workspace_id, uid);
CREATE INDEX calendar_objects_by_href ON calendar_objects (calendar_id, workspace_id, href) WHERE href <> '';
CREATE INDEX calendar_objects_by_pending ON calendar_objects (calendar_id, workspace_id, pending)
    WHERE pending <> '';
CREATE INDEX calendar_objects_by_workspace ON calendar_objects (workspace_id);

-- In which conversation an event was made or changed.
CREATE TABLE event_links (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    object_id TEXT NOT NULL REFERENCES calendar_objects (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    -- A reply that is still being written is no message yet.
    message_id TEXT,
    -- `created` or `changed`.
    kind TEXT NOT NULL
);
CREATE INDEX event_links_by_object ON event_links (object_id, id);
CREATE INDEX event_links_by_conversation ON event_links (conversation_id);

-- What was last tried at the server of a calendar, so that after a crash our own text is known there again.
CREATE TABLE calendar_pushes (
    object_id TEXT PRIMARY KEY REFERENCES calendar_objects (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    sent_ics TEXT NOT NULL DEFAULT '',
    -- The revision that the server does not want; it is not sent again.
    refused_revision INTEGER,
    -- Our text that lost a race, until the event is changed again.
    lost_ics TEXT NOT NULL DEFAULT ''
);
CREATE INDEX calendar_pushes_by_workspace ON calendar_pushes (workspace_id);
