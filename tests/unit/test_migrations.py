"""What is there already keeps working, and loses what it should not have had."""

import json
from datetime import timedelta

import apsw

from tertulia.core.clock import from_ms, now
from tertulia.core.ids import ULID, ulid_at
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


def test_earlier_conversations_keep_their_order_and_come_before_whatever_is_used_next() -> None:
    connection = before(24)
    last_used = {
        "cnv_in_1815": -4_900_000_000_000,
        "cnv_b": 1_700_000_000_000,
        "cnv_a": 1_700_000_000_000,
        "cnv_later": 1_700_000_000_001,
        "cnv_in_9000": 221_845_392_000_000,
    }
    for id_, moment in last_used.items():
        insert(connection, "conversations", id=id_, created_at=0, updated_at=moment)
    connection.execute(dict(scripts())[24])

    found = dict(connection.execute("SELECT id, sort_key FROM conversations ORDER BY sort_key"))
    assert list(found) == ["cnv_in_1815", "cnv_a", "cnv_b", "cnv_later", "cnv_in_9000"]
    assert all(ULID.fullmatch(sort_key) for sort_key in found.values())
    earlier, later = (ulid_at(from_ms(last_used["cnv_later"] + hours * 3_600_000)) for hours in (-1, 1))
    assert earlier < found["cnv_later"] < later
    assert found["cnv_in_9000"] < ulid_at(now() + timedelta(seconds=1))


def test_events_of_before_are_older_than_any_conversation() -> None:
    connection = before(24)
    changed = {"type": "conversation.changed", "conversation": {"id": "cnv_a", "title": "A"}}
    opened = {"type": "round.opened", "round": {"id": "rnd_a"}}
    said = {"type": "reply.text", "reply_id": "msg_a", "offset": 0, "text": "conversation.changed"}
    insert(connection, "topics", topic="cnv_a", last_seq=3)
    for seq, event in enumerate((changed, opened, said), start=1):
        insert(connection, "events", topic="cnv_a", seq=seq, body=json.dumps(event, separators=(",", ":")))
    connection.execute(dict(scripts())[24])

    found = [json.loads(body) for (body,) in connection.execute("SELECT body FROM events ORDER BY seq")]
    assert found == [
        changed | {"conversation": {"id": "cnv_a", "title": "A", "sort_key": ""}},
        opened | {"sort_key": ""},
        said,
    ]


def test_migrations_are_numbered_without_a_gap() -> None:
    """One that came later under a lower number would be passed over where a higher one was applied."""
    assert [number for number, _ in scripts()] == list(range(1, len(scripts()) + 1))
