"""What is there already keeps working, and loses what it should not have had."""

import json
from datetime import timedelta

import apsw

from tertulia.conversations.tool_runs import ERASED_RESULT
from tertulia.core.clock import from_ms, now
from tertulia.core.ids import ULID_PATTERN, ulid_at
from tertulia.infra.db.sqlite.migration import load_migrations

QUOTE = '<passage number="1" source="an earlier conversation, round 1, user, 2026-01-02">My salary.</passage>'
FILE = '<passage number="1" source="notes.md, lines 1-2">Nothing.</passage>'


def before(number: int) -> apsw.Connection:
    """Return a database as it was before a migration; its rows need no others beside them."""
    connection = apsw.Connection(":memory:")
    for known, script in load_migrations():
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
    connection.execute(dict(load_migrations())[18])

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
    connection.execute(dict(load_migrations())[24])

    found = dict(connection.execute("SELECT id, sort_key FROM conversations ORDER BY sort_key"))
    assert list(found) == ["cnv_in_1815", "cnv_a", "cnv_b", "cnv_later", "cnv_in_9000"]
    assert all(ULID_PATTERN.fullmatch(sort_key) for sort_key in found.values())
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
    connection.execute(dict(load_migrations())[24])

    found = [json.loads(body) for (body,) in connection.execute("SELECT body FROM events ORDER BY seq")]
    assert found == [
        changed | {"conversation": {"id": "cnv_a", "title": "A", "sort_key": ""}},
        opened | {"sort_key": ""},
        said,
    ]


def test_earlier_code_is_erased_with_the_files_that_it_names() -> None:
    connection = before(25)
    for path, conversation_id in {
        "data/ages.csv": None,
        "other/äges.csv": None,
        "tools/sails.py": None,
        "tools/rope/__init__.py": None,
        "attachments/here.txt": "here",
        "attachments/elsewhere.txt": "elsewhere",
    }.items():
        insert(connection, "files", id=path, project_id="prj", conversation_id=conversation_id, path=path)
    codes = {
        "path": "open('/project/files/data/ages.csv')",
        "escaped": "open(FOLDER + 'äges.csv')",
        "module": "from sails import SAILS",
        "package": "import rope",
        "no module": "sailsman = europe = 1",
        "attached": "open('here.txt'), open('elsewhere.txt')",
    }
    for id_, code in codes.items():
        add_code(connection, id_, json.dumps({"code": code}))
    add_code(connection, "broken", "{'code': ages.csv")
    add_code(connection, "lists", json.dumps({"code": "listing()"}), result="['ages.csv']")
    connection.execute(dict(load_migrations())[25])

    found = set(connection.execute("SELECT call_id, source_id FROM tool_sources"))
    assert found == {
        ("path", "data/ages.csv"),
        ("escaped", "other/äges.csv"),
        ("module", "tools/sails.py"),
        ("package", "tools/rope/__init__.py"),
        ("attached", "attachments/here.txt"),
        ("broken", "data/ages.csv"),
        ("lists", "data/ages.csv"),
    }


def add_code(connection: apsw.Connection, id_: str, arguments: str, **values: object) -> None:
    """Insert a call that ran code and has ended."""
    row = {"conversation_id": "here", "project_id": "prj", "name": "run_python", "ended_at": 1}
    insert(connection, "tool_runs", reply_id="r1", id=id_, arguments=arguments, **row | values)


def test_what_earlier_code_said_and_drew_of_a_file_goes_with_it() -> None:
    connection = before(25)
    figures = [{"id": "att_1"}, {"id": "att_2"}]
    call = {"id": "c1", "result": "36", "length": 2, "attachments": figures[:1], "tables": []}
    insert(connection, "replies", id="r1", conversation_id="here", tool_calls=json.dumps([call]))
    insert(connection, "files", id="fil_1", project_id="prj", path="ages.csv")
    insert(connection, "tool_uses", id="use_1", file_id="fil_2", failed=1, error="ValueError: 36")
    for figure in figures:
        insert(connection, "attachments", **figure)
    add_code(connection, "c1", "open('ages.csv')", result="36", attachments=json.dumps(figures[:1]))
    add_code(connection, "c2", "", result="37", attachments=json.dumps(figures[1:]))
    insert(connection, "topics", topic="here", last_seq=3)
    events = [
        {"type": "reply.tool_output", "reply_id": "r1", "call_id": "c1", "text": "36"},
        {"type": "reply.tool_call", "reply_id": "r1", "call": call},
        {"type": "reply.closed", "reply": {"id": "r1", "tool_calls": [call]}},
    ]
    for seq, event in enumerate(events, start=1):
        insert(connection, "events", topic="here", seq=seq, body=json.dumps(event, separators=(",", ":")))
    connection.execute(dict(load_migrations())[25])
    connection.execute("DELETE FROM files")

    erased = call | {"result": ERASED_RESULT, "length": len(ERASED_RESULT), "attachments": []}
    assert [json.loads(body) for (body,) in connection.execute("SELECT body FROM events ORDER BY seq")] == [
        events[0] | {"text": ""},
        events[1] | {"call": erased},
        events[2] | {"reply": {"id": "r1", "tool_calls": [erased]}},
    ]
    assert json.loads(connection.execute("SELECT tool_calls FROM replies").get) == [erased]
    runs = dict(connection.execute("SELECT id, attachments FROM tool_runs"))
    assert {id_: json.loads(kept) for id_, kept in runs.items()} == {"c1": [], "c2": figures[1:]}
    assert connection.execute("SELECT id FROM attachments").get == "att_2"
    assert connection.execute("SELECT error FROM tool_uses").get == "An exception"


def test_figures_of_results_that_were_erased_before_are_erased() -> None:
    connection = before(25)
    add_code(connection, "c1", "open('ages.csv')", result=ERASED_RESULT, attachments='[{"id": "att_1"}]')
    insert(connection, "attachments", id="att_1")
    insert(connection, "tool_sources", source_id="fil_1", reply_id="r1", call_id="c1", is_deleted=1)
    connection.execute(dict(load_migrations())[25])

    assert connection.execute("SELECT attachments FROM tool_runs").get == "[]"
    assert connection.execute("SELECT count(*) FROM attachments").get == 0


def test_what_earlier_calls_gave_of_a_file_that_is_now_attached_is_kept_with_them_alone() -> None:
    connection = before(26)
    for path, conversation_id in {
        "attachments/moved.csv": "private",
        "attachments/copied.csv": "private",
        "attachments/late.csv": "private",
        "stays.csv": None,
    }.items():
        created_at = 9 if "late" in path else 1
        row = {"project_id": "prj", "conversation_id": conversation_id, "created_at": created_at}
        insert(connection, "files", id=path, path=path, **row)
    copy = {"project_id": "prj", "conversation_id": "here", "path": "attachments/copied.csv"}
    insert(connection, "files", id="copy", **copy)
    given = {"result": "36", "length": 2, "attachments": [{"id": "att_1"}], "tables": ["table"]}
    codes = {
        "c1": "open('moved.csv')",
        "c2": "open('copied.csv')",
        "c3": "open('late.csv')",
        "c4": "stays.csv",
    }
    calls = [{"id": id_} | given for id_ in codes]
    insert(connection, "replies", id="r1", conversation_id="here", tool_calls=json.dumps(calls))
    for id_, code in codes.items():
        add_code(connection, id_, json.dumps({"code": code}), result="36", created_at=5)
    insert(connection, "topics", topic="here", last_seq=2)
    events = [
        {"type": "reply.tool_call", "reply_id": "r1", "call": calls[0]},
        {"type": "reply.closed", "reply": {"id": "r1", "tool_calls": calls}},
    ]
    for seq, event in enumerate(events, start=1):
        insert(connection, "events", topic="here", seq=seq, body=json.dumps(event, separators=(",", ":")))
    connection.execute(dict(load_migrations())[26])

    runs = dict(connection.execute("SELECT id, quotes FROM tool_runs"))
    assert runs == {"c1": '["private"]', "c2": "[]", "c3": "[]", "c4": "[]"}
    assert set(connection.execute("SELECT DISTINCT result FROM tool_runs")) == {("36",)}
    bare = calls[0] | {"result": "", "attachments": [], "tables": []}
    assert json.loads(connection.execute("SELECT tool_calls FROM replies").get) == [bare, *calls[1:]]
    assert [json.loads(body) for (body,) in connection.execute("SELECT body FROM events ORDER BY seq")] == [
        events[0] | {"call": bare},
        events[1] | {"reply": {"id": "r1", "tool_calls": [bare, *calls[1:]]}},
    ]


def test_headings_of_files_that_were_deleted_before_are_erased() -> None:
    connection = before(26)
    insert(connection, "files", id="fil_1", path="stays.md")
    passages = [{"kind": "file", "source_id": id_, "heading": "Of the sea"} for id_ in ("fil_1", "fil_2")]
    insert(connection, "replies", id="r1", conversation_id="here", passages=json.dumps(passages))
    connection.execute(dict(load_migrations())[26])

    kept = json.loads(connection.execute("SELECT passages FROM replies").get)
    assert kept == [passages[0], passages[1] | {"heading": ""}]
    assert connection.execute("SELECT kind FROM deletions").get == "earlier"


def test_what_was_summarised_before_is_queued_for_search() -> None:
    connection = before(42)
    for id_, visibility, origin in (
        ("own", "private", "app"),
        ("all", "workspace", "app"),
        ("program", "private", "api"),
    ):
        insert(connection, "conversations", id=id_, owner_id="ada", visibility=visibility, origin=origin)
        insert(connection, "summaries", id=f"sum_{id_}", conversation_id=id_, point_ids="[1]", created_at=7)
        insert(connection, "summary_points", summary_id=f"sum_{id_}", sources=f'["msg_{id_}"]', id=None)
    insert(connection, "summaries", id="sum_told_before", conversation_id="own", point_ids="[1]")
    insert(connection, "summaries", id="sum_early", conversation_id="own")
    insert(connection, "message_marks", message_id="msg_all", mark="local_only", conversation_id="all")
    connection.execute(dict(load_migrations())[42])

    sql = "SELECT source_id, owner_id, local_only, kind, state FROM sources ORDER BY source_id"
    assert list(connection.execute(sql)) == [
        ("sum_all", None, 1, "summary", "waiting"),
        ("sum_early", "ada", 0, "summary", "waiting"),
        ("sum_own", "ada", 0, "summary", "waiting"),
    ]
    connection.execute("DELETE FROM summaries WHERE id = 'sum_own'")
    assert connection.execute("SELECT count(*) FROM sources").get == 2


def test_migrations_are_numbered_without_a_gap() -> None:
    """One that came later under a lower number would be passed over where a higher one was applied."""
    assert [number for number, _ in load_migrations()] == list(range(1, len(load_migrations()) + 1))


def test_members_sessions_and_undone_summaries_keep_their_order() -> None:
    connection = before(28)
    order = {"c": 1_700_000_000_000, "a": 1_700_000_000_000, "b": 1_700_000_000_001, "d": 221_845_392_000_000}
    for name, moment in order.items():
        insert(connection, "members", user_id=name, role="member", status="active", joined_at=moment)
        insert(connection, "sessions", id=name, token_hash=name, last_seen_at=moment)
        insert(connection, "summaries", id=name, undone_at=moment)
    insert(connection, "summaries", id="in force")
    connection.execute(dict(load_migrations())[28])

    for sql in (
        "SELECT user_id, sort_key FROM members ORDER BY sort_key",
        "SELECT id, sort_key FROM sessions ORDER BY sort_key",
        "SELECT id, undo_sort_key FROM summaries WHERE undone_at IS NOT NULL ORDER BY undo_sort_key",
    ):
        found = dict(connection.execute(sql))
        assert list(found) == list(order)
        assert all(ULID_PATTERN.fullmatch(sort_key) for sort_key in found.values())
        assert found["d"] < ulid_at(now() + timedelta(seconds=1))
    [(in_force,)] = connection.execute("SELECT undo_sort_key FROM summaries WHERE undone_at IS NULL")
    assert in_force == ""


def test_rows_that_are_held_for_an_undo_are_found_by_their_id() -> None:
    connection = before(30)
    for content in ({"id": "fil_1", "path": "a.md"}, {"file_id": "fil_1", "version": 1}):
        insert(connection, "held_rows", table_name="files", content=json.dumps(content))
    connection.execute(dict(load_migrations())[30])

    assert list(connection.execute("SELECT row_id FROM held_rows ORDER BY id")) == [("fil_1",), (None,)]
