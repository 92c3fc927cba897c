"""What is there already keeps working, and loses what it should not have had."""

import json

import apsw

from tertulia.infra.db.migrate import scripts

QUOTE = '<passage number="1" source="an earlier conversation, round 1, user, 2026-01-02">My salary.</passage>'
FILE = '<passage number="1" source="notes.md, lines 1-2">Nothing.</passage>'


def before(number: int) -> apsw.Connection:
    """Return a database as it was before a migration; its rows need no others beside them."""
    connection = apsw.Connection(":memory:")
    for known, script in scripts():
        if known < number:
            connection.execute(script)
            connection.pragma("user_version", known)
    return connection


def insert(connection: apsw.Connection, table: str, **values: object) -> None:
    """Insert a row; columns that must have something and were not named are empty."""
    needed = [
        row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[3] and row[4] is None
    ]
    row = dict.fromkeys(needed, "") | values
    marks = ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", row)


def test_earlier_searches_that_quoted_talk_are_read_by_those_alone_who_may_open_it() -> None:
    connection = before(18)
    for id_, owner, visibility in (
        ("here", "ada", "workspace"),
        ("own", "ada", "private"),
        ("b", "b", "private"),
    ):
        insert(
            connection,
            "conversations",
            id=id_,
            owner_id=owner,
            visibility=visibility,
            project_id="prj",
            created_at=0,
        )
    calls = [{"id": "c1", "result": QUOTE, "changed": False}, {"id": "c2", "result": FILE, "changed": True}]
    insert(connection, "replies", id="r1", conversation_id="here", tool_calls=json.dumps(calls))
    for call in calls:
        insert(
            connection,
            "tool_runs",
            reply_id="r1",
            conversation_id="here",
            project_id="prj",
            user_id="ada",
            name="search_project",
            id=call["id"],
            result=call["result"],
        )
    insert(connection, "topics", topic="here", last_seq=1)
    insert(connection, "events", topic="here", seq=1, body=json.dumps({"call": calls[0]}))
    connection.execute(dict(scripts())[18])

    found = dict(connection.execute("SELECT id, quotes FROM tool_runs"))
    assert {id_: json.loads(quotes) for id_, quotes in found.items()} == {"c1": ["own"], "c2": []}
    [(kept,)] = connection.execute("SELECT tool_calls FROM replies")
    assert json.loads(kept) == [calls[0] | {"result": ""}, calls[1]]
    assert connection.execute("SELECT count(*) FROM events").get == 0


def test_migrations_are_numbered_without_a_gap() -> None:
    """One that came later under a lower number would be passed over where a higher one was applied."""
    assert [number for number, _ in scripts()] == list(range(1, len(scripts()) + 1))
