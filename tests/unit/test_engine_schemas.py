"""Both engines have one schema: what differs is named here, with the reason."""

from collections.abc import Generator
from dataclasses import replace

import apsw
import psycopg
import pytest
from tests.engines.postgres import create_database, drop_database
from tests.engines.schemas import Schema, read_postgres_schema, read_sqlite_schema

from tertulia.infra.db.postgres import migration as postgres
from tertulia.infra.db.sqlite import migration as sqlite

#: Tables of one engine alone.
SQLITE_TABLES = {
    "chunk_words": "full text is kept by FTS5, in tables of its own",
    "chunk_words_config": "",
    "chunk_words_data": "",
    "chunk_words_docsize": "",
    "chunk_words_idx": "",
    "deletions": "what is still to be removed from the bytes of its file",
}
POSTGRES_TABLES = {
    "chunk_words": "full text is a column with an index",
    "schema_migrations": "SQLite keeps the number of its schema in the head of its file",
}
#: Triggers of SQLite alone.
COMPACTION_TRIGGERS = "_to_compact"
FULL_TEXT_TRIGGER = "chunks_deleted"
NESTING_TRIGGER = "rounds_unlinked"
#: Columns of PostgreSQL alone.
POSTGRES_COLUMNS = {("vectors", "meaning"): "what pgvector searches, made from scale and body"}


@pytest.fixture(scope="module")
def of_sqlite() -> Schema:
    connection = apsw.Connection(":memory:")
    sqlite.migrate(connection)
    return read_sqlite_schema(connection)


@pytest.fixture(scope="module")
def of_postgres() -> Generator[Schema]:
    url = create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        postgres.migrate(connection)
        yield read_postgres_schema(connection)
    drop_database(url)


def test_both_engines_have_the_same_migrations_from_the_baseline_on() -> None:
    of_postgres = [number for number, _ in postgres.load_migrations()]
    of_sqlite = [number for number, _ in sqlite.load_migrations()]
    assert of_postgres == of_sqlite[of_sqlite.index(of_postgres[0]) :]


def test_both_engines_have_the_same_tables_and_views(of_sqlite: Schema, of_postgres: Schema) -> None:
    assert of_sqlite.tables.keys() - SQLITE_TABLES == of_postgres.tables.keys() - POSTGRES_TABLES
    assert of_sqlite.views == of_postgres.views


def test_tables_differ_in_nothing_that_is_not_meant(of_sqlite: Schema, of_postgres: Schema) -> None:
    for name in of_sqlite.tables.keys() - SQLITE_TABLES:
        ours, theirs = of_sqlite.tables[name], of_postgres.tables[name]
        columns = {key: value for key, value in theirs.columns.items() if (name, key) not in POSTGRES_COLUMNS}
        triggers = {
            trigger
            for trigger in ours.triggers
            if not trigger.endswith(COMPACTION_TRIGGERS)
            and trigger not in (FULL_TEXT_TRIGGER, NESTING_TRIGGER)
        }
        assert (name, replace(ours, triggers=triggers)) == (name, replace(theirs, columns=columns))
