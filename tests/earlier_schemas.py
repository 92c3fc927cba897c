"""Databases as earlier versions of the program left them, with a little of what people had in them."""

from pathlib import Path

import apsw

from tertulia.infra.db.sqlite.migration import load_migrations

NEWEST_SCHEMA = load_migrations()[-1][0]
#: Rows of the tables that most depends on; what is not named is empty or zero.
KEPT_ROWS: list[tuple[str, dict[str, object]]] = [
    ("users", {"id": "usr_1", "email": "ana@example.org", "status": "active"}),
    ("workspaces", {"id": "wsp_1", "settings": "{}"}),
    ("members", {"workspace_id": "wsp_1", "user_id": "usr_1", "role": "owner", "status": "active"}),
    ("sessions", {"id": "ses_1", "token_hash": "hash", "workspace_id": "wsp_1", "user_id": "usr_1"}),
    ("presets", {"id": "pre_1", "workspace_id": "wsp_1", "models": "[]", "created_by": "usr_1"}),
    ("projects", {"id": "prj_1", "workspace_id": "wsp_1", "created_by": "usr_1"}),
    (
        "conversations",
        {
            "id": "cnv_1",
            "workspace_id": "wsp_1",
            "owner_id": "usr_1",
            "project_id": "prj_1",
            "anchor": "chat",
        },
    ),
    (
        "rounds",
        {
            "id": "rnd_1",
            "workspace_id": "wsp_1",
            "conversation_id": "cnv_1",
            "number": 1,
            "policy": "shared",
            "author_id": "usr_1",
        },
    ),
    (
        "messages",
        {
            "id": "msg_1",
            "workspace_id": "wsp_1",
            "conversation_id": "cnv_1",
            "round_id": "rnd_1",
            "speaker": "user",
            "content": "Where is the harbour?",
        },
    ),
    (
        "replies",
        {
            "id": "rpl_1",
            "workspace_id": "wsp_1",
            "conversation_id": "cnv_1",
            "round_id": "rnd_1",
            "model": "m",
        },
    ),
]


def write_earlier_database(path: Path, number: int) -> None:
    """Make a database of schema `number`, with a row in each table of `KEPT_ROWS` that it has."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA synchronous = OFF; BEGIN")
    for known, script in load_migrations():
        if known <= number:
            connection.execute(script)
            connection.pragma("user_version", known)
    for table, values in KEPT_ROWS:
        if columns := list(connection.execute(f"PRAGMA table_info({table})")):
            needed = {
                column[1]: 0 if column[2] in ("INTEGER", "BIGINT", "REAL") else ""
                for column in columns
                if column[3] and column[4] is None
            }
            row = needed | values
            marks = ", ".join(f":{name}" for name in row)
            connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", row)
    connection.execute("COMMIT")
    connection.close()
