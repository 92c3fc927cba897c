"""Quotes go with what they quote, in every place and by every way it is deleted: the same on both engines."""

import json
import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

import apsw
import psycopg
import pytest
from tests.engines.postgres import create_database, drop_database
from tests.engines.schemas import Schema, read_postgres_schema, read_sqlite_schema

from tertulia.conversations.tool_runs import ERASED_RESULT
from tertulia.infra.db.postgres import migration as postgres
from tertulia.infra.db.sqlite import migration as sqlite
from tertulia.infra.db.sqlite.connection import define_functions

SECRET = "zyzzogeton"
QUOTED = f'The {SECRET} ~ é "sings"\n'
TABLES = (
    "attachments",
    "tool_runs",
    "tool_results",
    "tool_sources",
    "replies",
    "rounds",
    "events",
    "receipt_texts",
    "reply_headings",
)


@dataclass(frozen=True, slots=True)
class Engine:
    """A database of one engine, as bare as it gets."""

    execute: Callable[[str, Mapping[str, Any]], list[Any]]
    schema: Schema

    def insert(self, table: str, **values: Any) -> None:
        """Insert a row; columns that are needed and not named are empty or zero."""
        needed = {
            name: 0 if column.type_class in ("integer", "real") else ""
            for name, column in self.schema.tables[table].columns.items()
            if not column.is_nullable and column.default is None and name not in values
        }
        row = needed | values
        marks = ", ".join(f":{name}" for name in row)
        self.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", row)

    def dump(self) -> dict[str, list[Any]]:
        """Return the rows of every table that may keep a quote."""
        found: dict[str, list[Any]] = {}
        for table in TABLES:
            names = ", ".join(sorted(self.schema.tables[table].columns))
            rows = self.execute(f"SELECT {names} FROM {table}", {})
            found[table] = sorted((tuple(row) for row in rows), key=repr)
        return found


def fill(engine: Engine) -> None:
    """Have a call quote another conversation and a file, whose heading is among the reply's passages."""
    engine.insert("users", id="ada", email="ada@example.org", status="active")
    engine.insert("workspaces", id="w", settings="{}")
    for project in ("here", "there"):
        engine.insert("projects", id=project, workspace_id="w", created_by="ada")
    for conversation, project in (("quoting", "here"), ("quoted", "there"), ("other", "there")):
        engine.insert("conversations", id=conversation, workspace_id="w", owner_id="ada", project_id=project)
    engine.insert("files", id="file", workspace_id="w", project_id="there", created_by="ada", path="a.md")
    figure = {"id": "figure", "mime": "image/png"}
    call = {
        "id": "c1",
        "result": QUOTED,
        "length": 40,
        "ms": None,
        "cost": 1.50,
        "tables": [{"rows": [[QUOTED]]}],
    }
    call |= {"attachments": [figure], "saved": []}
    calls = [call, {**call, "id": "c2", "result": "é", "tables": [], "attachments": []}]
    passage = {"number": 1, "source_id": "file", "kind": "file", "heading": QUOTED}
    passages = [passage, {**passage, "number": 2, "source_id": "another", "heading": "Kept"}]
    engine.insert(
        "rounds", id="round", workspace_id="w", conversation_id="quoting", passages=compact(passages)
    )
    engine.insert(
        "replies",
        id="reply",
        workspace_id="w",
        conversation_id="quoting",
        round_id="round",
        tool_calls=compact(calls),
        passages=compact(passages),
    )
    engine.insert("attachments", id="figure", workspace_id="w", conversation_id="quoting", data=b"drawn")
    for one in calls:
        engine.insert(
            "tool_runs",
            reply_id="reply",
            id=one["id"],
            workspace_id="w",
            conversation_id="quoting",
            result=one["result"],
            length=one["length"],
            tables=compact(one["tables"]),
            attachments=compact(one["attachments"]),
            quotes=compact(["quoted"] if one is call else []),
        )
        engine.insert(
            "tool_results", reply_id="reply", call_id=one["id"], workspace_id="w", text=one["result"]
        )
    for source in ("quoted", "file"):
        engine.insert("tool_sources", source_id=source, reply_id="reply", call_id="c1", workspace_id="w")
    engine.insert("reply_headings", file_id="file", reply_id="reply")
    steps = [
        {"items": [{"text_hash": "h1", "pointer": {"call_id": "c1"}}, {"text_hash": "h2", "pointer": None}]}
    ]
    engine.insert(
        "receipts",
        reply_id="reply",
        workspace_id="w",
        conversation_id="quoting",
        plan=compact({"steps": steps}),
    )
    for hash_, body in (("h1", QUOTED), ("h2", "Kept.")):
        engine.insert("receipt_texts", conversation_id="quoting", hash=hash_, workspace_id="w", body=body)
    engine.insert("topics", topic="quoting", last_seq=9)
    reply = {"id": "reply", "status": "done", "tool_calls": calls, "passages": passages}
    told: list[dict[str, Any]] = [
        {"type": "reply.started", "round_id": "round", "reply_id": "reply", "passages": passages},
        {"type": "reply.tool_call", "reply_id": "reply", "call": calls[0]},
        {"type": "reply.tool_call", "reply_id": "reply", "call": calls[1]},
        {"type": "reply.closed", "reply": reply, "message": {"content": "It sings."}},
    ]
    for seq, body in enumerate(told, 1):
        engine.insert("events", topic="quoting", seq=seq, body=compact(body))


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.fixture(scope="module")
def postgres_url() -> Generator[str]:
    url = create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        postgres.migrate(connection)
    yield url
    drop_database(url)


@pytest.fixture
def engines(postgres_url: str) -> Generator[list[Engine]]:
    """A database of each engine with the same rows; what a test does there is undone."""
    of_sqlite = apsw.Connection(":memory:")
    define_functions(of_sqlite)
    sqlite.migrate(of_sqlite)
    of_sqlite.pragma("foreign_keys", True)
    with psycopg.connect(postgres_url) as of_postgres:

        def execute(sql: str, values: Mapping[str, Any]) -> list[Any]:
            cursor = of_postgres.execute(re.sub(r":(\w+)", r"%(\1)s", sql).encode(), values)
            return cursor.fetchall() if cursor.description else []

        both = [
            Engine(
                lambda sql, values: list(of_sqlite.execute(sql, dict(values))), read_sqlite_schema(of_sqlite)
            ),
            Engine(execute, read_postgres_schema(of_postgres)),
        ]
        for engine in both:
            fill(engine)
        yield both
        of_postgres.rollback()


def after(engines: list[Engine], *statements: str) -> dict[str, list[Any]]:
    """Run statements on both engines, and return what both have left: byte for byte the same."""
    for engine in engines:
        for sql in statements:
            engine.execute(sql, {})
    left, other = (engine.dump() for engine in engines)
    assert left == other
    return left


HOLD = """INSERT INTO held_rows (deletion_id, workspace_id, table_name, row_id, content)
    VALUES ('undo', 'w', 'files', 'file', '{}')"""
PENDING = """INSERT INTO pending_deletions
    (id, workspace_id, user_id, kind, subject_id, restore_until_uptime)
    VALUES ('undo', 'w', 'ada', 'files', 'there', 0)"""


def test_both_engines_start_from_the_same_rows(engines: list[Engine]) -> None:
    assert SECRET in str(after(engines))


@pytest.mark.parametrize(
    "statements",
    [
        ["DELETE FROM conversations WHERE id = 'quoted'", "DELETE FROM files"],
        ["DELETE FROM projects WHERE id = 'there'"],
        [PENDING, HOLD, "DELETE FROM projects WHERE id = 'there'", "DELETE FROM pending_deletions"],
        ["DELETE FROM conversations WHERE id = 'quoting'"],
        ["DELETE FROM workspaces"],
    ],
    ids=["one by one", "with their project", "after an undo", "with the reply", "with the workspace"],
)
def test_what_was_quoted_is_nowhere_once_it_is_deleted(engines: list[Engine], statements: list[str]) -> None:
    left = after(engines, *statements)
    assert SECRET not in str(left)
    assert "workspaces" in statements[0] or "quoting" in statements[0] or ERASED_RESULT in str(left)


def test_a_file_that_may_be_restored_is_still_quoted(engines: list[Engine]) -> None:
    before = after(engines)
    assert after(engines, PENDING, HOLD, "DELETE FROM files") == before


def test_results_that_quote_an_attachment_are_kept_with_their_call_alone(engines: list[Engine]) -> None:
    left = after(engines, "UPDATE files SET conversation_id = 'other'")
    [call] = [row for row in left["tool_runs"] if "c1" in row]
    assert '["quoted","other"]' in call
    assert QUOTED in call
    assert all('"result":"é"' in row[0] for row in left["events"] if '"c2"' in row[0])
    assert not any(SECRET in row[0] for row in left["events"] if "reply.tool_call" in row[0])
