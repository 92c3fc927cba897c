"""The registry of tables agrees with the schema: nothing that people wrote can be forgotten."""

import re
from pathlib import Path

import apsw
import pytest

from tertulia.infra.db.deletion_rules import (
    PERSON_COLUMNS,
    TABLES_OUTLIVING_WORKSPACE,
    DeletionRule,
)
from tertulia.infra.db.sqlite.migration import migrate

DELETES = re.compile(r"DELETE FROM (\w+)")
#: Names of columns that hold a person's id.
PERSON = re.compile(r"user_id|owner_id|author_id|actor_id|\w+_by")


class Schema:
    """The newest schema: its tables, and which rows take which others along."""

    def __init__(self, connection: apsw.Connection) -> None:
        names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        self.tables = {str(row[0]) for row in connection.execute(names)}
        self.columns = {
            (table, str(row[1]))
            for table in self.tables
            for row in connection.execute(f"PRAGMA table_info({table})")
        }
        self.takes_along = {
            (str(row[2]), table)
            for table in self.tables
            for row in connection.execute(f"PRAGMA foreign_key_list({table})")
            if row[6] == "CASCADE"
        }
        self.of_people = {
            (table, str(row[3]))
            for table in self.tables
            for row in connection.execute(f"PRAGMA foreign_key_list({table})")
            if row[2] == "users"
        } | {(table, column) for table, column in self.columns if PERSON.fullmatch(column)}
        triggers = "SELECT tbl_name, sql FROM sqlite_schema WHERE type = 'trigger'"
        for table, sql in connection.execute(triggers):
            if "AFTER DELETE" in str(sql):
                self.takes_along |= {(str(table), gone) for gone in DELETES.findall(str(sql))}
        # An index's own tables are part of it.
        self.takes_along |= {("chunk_words", name) for name in self.tables if "chunk_words_" in name}

    def goes_with(self, *roots: str) -> set[str]:
        """Return the tables whose rows go when a row of these goes."""
        found: set[str] = set()
        new = set(roots)
        while new:
            found |= new
            new = {gone for taker, gone in self.takes_along if taker in new} - found
        return found


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    path: Path = tmp_path_factory.mktemp("schema") / "tertulia.db"
    connection = apsw.Connection(str(path))
    migrate(connection)
    found = Schema(connection)
    connection.close()
    return found


def test_every_table_goes_with_its_workspace_or_says_why_not(schema: Schema) -> None:
    assert schema.tables - schema.goes_with("workspaces") == set(TABLES_OUTLIVING_WORKSPACE)


def test_every_column_that_names_a_person_says_what_becomes_of_it(schema: Schema) -> None:
    named = schema.of_people
    # What goes with a deleted row need not be named again, unless it may belong to what others share.
    with_account = schema.goes_with(
        *(column.table for column in PERSON_COLUMNS if column.rule is DeletionRule.DELETE)
    )
    registered = {(one.table, one.column) for one in PERSON_COLUMNS}

    assert {pair for pair in named - registered if pair[0] not in with_account} == set()
    assert registered <= named


def test_rows_that_are_deleted_by_a_person_column_are_not_kept_by_another() -> None:
    deleted = {column.table for column in PERSON_COLUMNS if column.rule is DeletionRule.DELETE}
    kept = {one.table for one in PERSON_COLUMNS if one.rule is not DeletionRule.DELETE}
    assert deleted & kept == set()
