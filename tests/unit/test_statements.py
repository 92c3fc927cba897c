"""Every statement of the source is understood by both engines, but for those put together as they run."""

import ast
import re
from collections.abc import Callable, Generator, Iterator
from importlib import import_module
from pathlib import Path

import apsw
import psycopg
import pytest
from tests.engines.postgres import create_database, drop_database
from tests.source_modules import SOURCES, SourceModule

from tertulia.infra.db.postgres import migration as postgres
from tertulia.infra.db.postgres.dialect import to_postgres
from tertulia.infra.db.postgres.row_security import secure_tables
from tertulia.infra.db.sqlite import migration as sqlite
from tertulia.infra.db.sqlite.connection import define_functions

STATEMENT = re.compile(r"\s*(?:/\*.*?\*/\s*)?(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s")
SCANNED_TABLE = re.compile(r"Seq Scan on (\w+)")
BOUND_NAME = re.compile(r"(?<!:):([a-z_]+)")
#: Tables that are read whole by what is seldom done, counts them, or empties them, and those of few rows.
READ_WHOLE = {
    ("accounts/deletion.py", "links"),
    ("accounts/setup.py", "links"),
    ("accounts/users.py", "users"),
    ("files/blob_cleaner.py", "contents"),
    ("infra/events/log.py", "topics"),
    ("infra/jobs/queue.py", "jobs"),
    ("infra/undo/store.py", "pending_deletions"),
    ("retrieval/embedding_service.py", "serving_embedder"),
    ("retrieval/full_text_rebuild.py", "chunks"),
    ("retrieval/index_progress.py", "sources"),
    ("retrieval/index_stats.py", "chunks"),
    ("retrieval/sources.py", "sources"),
    ("tools/sealed_secrets.py", "http_tools"),
    ("tools/sealed_secrets.py", "tool_servers"),
}
#: What is no statement by itself, by how it begins.
PARTS = (
    "WITH RECURSIVE path (id, parent_id, steps) AS",
    "SELECT 1 FROM (SELECT value FROM json_each(s.tags))",
    "SELECT 1 FROM sources WHERE workspace_id = :workspace AND project_id",
)
#: Modules that speak to one engine, or look into a file of SQLite's.
ONE_ENGINE = ("infra/db/", "retrieval/sqlite/", "retrieval/postgres/", "cli/", "files/blob_references.py")


def statements_of(path: Path, module: SourceModule) -> Iterator[str]:
    """Yield the SQL of a module that is known without running it: what it is made of are its constants."""
    within = {
        id(part)
        for node in module.nodes
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    documentation = {id(node.value) for node in module.nodes if isinstance(node, ast.Expr)}
    names = vars(import_module(f"tertulia.{'.'.join(path.with_suffix('').parts)}".removesuffix(".__init__")))
    for node in module.nodes:
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in within | documentation:
            try:
                text = eval(compile(ast.Expression(node), str(path), "eval"), dict(names))
            except NameError:  # a part of it is chosen by its function
                continue
            if isinstance(text, str) and STATEMENT.match(text) and not text.strip().startswith(PARTS):
                yield text


ALL_STATEMENTS = sorted(
    {
        (path.as_posix(), " ".join(statement.split()))
        for path, module in SOURCES.items()
        if not path.as_posix().startswith(ONE_ENGINE)
        for statement in statements_of(path, module)
    }
)


@pytest.fixture(scope="module")
def prepare_on_sqlite() -> Callable[[str], str]:
    connection = apsw.Connection(":memory:")
    define_functions(connection)
    sqlite.migrate(connection)

    def prepare(sql: str) -> str:
        try:
            connection.execute(f"EXPLAIN {sql}", dict.fromkeys(BOUND_NAME.findall(sql)))
        except apsw.Error as error:
            return str(error)
        return ""

    return prepare


@pytest.fixture(scope="module")
def prepare_on_postgres() -> Generator[Callable[[str], str]]:
    url = create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        postgres.migrate(connection)

        def prepare(sql: str) -> str:
            result = connection.pgconn.prepare(b"", to_postgres(sql).sql)
            return result.error_message.decode()

        yield prepare
    drop_database(url)


@pytest.fixture(scope="module")
def list_scanned_tables() -> Generator[Callable[[str], list[str]]]:
    """Give what names the tables that PostgreSQL reads whole because no index helps: it avoids all others."""
    url = create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        postgres.migrate(connection)
        secure_tables(connection)
        connection.execute("SET enable_seqscan = off")

        def list_scanned(sql: str) -> list[str]:
            explained = b"EXPLAIN (GENERIC_PLAN) " + to_postgres(sql).sql
            plan = "\n".join(row for (row,) in connection.execute(explained, prepare=False))
            return SCANNED_TABLE.findall(plan)

        yield list_scanned
    drop_database(url)


def test_there_are_statements() -> None:
    assert len(ALL_STATEMENTS) > 250


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_every_statement_is_understood(engine: str, request: pytest.FixtureRequest) -> None:
    prepare: Callable[[str], str] = request.getfixturevalue(f"prepare_on_{engine}")
    refused = {f"{path}: {sql}": error for path, sql in ALL_STATEMENTS if (error := prepare(sql))}
    assert refused == {}


def test_tables_are_read_by_their_indexes(list_scanned_tables: Callable[[str], list[str]]) -> None:
    scanned = {
        (path, table)
        for path, sql in ALL_STATEMENTS
        if sql.startswith(("SELECT", "UPDATE", "DELETE", "WITH"))
        for table in list_scanned_tables(sql)
    }
    assert scanned == READ_WHOLE
