"""All data moves between SQLite and PostgreSQL, or none of it, and is the same afterwards."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
from click.testing import CliRunner, Result
from tests.databases import migrated_database
from tests.earlier_schemas import NEWEST_SCHEMA, write_earlier_database
from tests.engines.postgres import create_database, drop_database
from tests.filled_tables import write_filled_database

from tertulia.cli import move
from tertulia.cli.commands import root
from tertulia.cli.database_address import SqliteAddress, parse_database_address
from tertulia.cli.row_progress import RowProgressReporter
from tertulia.core.errors import TertuliaError
from tertulia.infra.datadir import DataDir, DataDirInUse
from tertulia.infra.db.postgres import tool_connection
from tertulia.infra.db.postgres.migration import migrate
from tertulia.infra.db.postgres.row_security import secure_tables
from tertulia.infra.db.postgres.table_reader import PostgresTableReader, read_snapshot
from tertulia.infra.db.postgres.tool_connection import connect_tool
from tertulia.infra.db.sqlite.table_reader import SqliteTableReader
from tertulia.infra.db.table_copy import ENGINE_ONLY, copy_tables, list_differences
from tertulia.infra.db.table_digests import TableDigest, digest_tables

pytestmark = pytest.mark.postgres

#: A program that kills itself when so many rows were copied.
KILLED_MOVE = """
import os, signal, sys
from tertulia.cli.commands import root
from tertulia.infra.db import table_copy
pass_through = table_copy.RowCounter.pass_through
def pass_some(self, rows, *, step):
    for row in pass_through(self, rows, step=step):
        yield row
        if self.done + 1 >= int(sys.argv[1]):
            os.kill(os.getpid(), signal.SIGKILL)
table_copy.RowCounter.pass_through = pass_some
root(sys.argv[2:])
"""

#: A program whose target has no room for a second row.
FULL_MOVE = """
import sys
from tertulia.cli import main
from tertulia.infra.db.errors import DiskFull
from tertulia.infra.db.sqlite.table_writer import SqliteTableWriter
def write_some(self, table, columns, rows):
    for row in rows:
        raise DiskFull
SqliteTableWriter.write_rows = write_some
main()
"""


@pytest.fixture
def url() -> Iterator[str]:
    """An empty database on PostgreSQL."""
    made = create_database()
    yield made
    drop_database(made)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory with rows in every table."""
    folder = tmp_path / "data"
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(folder))
    write_filled_database(folder / "tertulia.db")
    return folder


def tertulia(*args: object) -> Result:
    return CliRunner().invoke(root, [str(arg) for arg in args])


def refusal(*args: object) -> TertuliaError:
    error = tertulia(*args).exception
    assert isinstance(error, TertuliaError), error
    return error


def digests_of(path: Path) -> dict[str, TableDigest]:
    connection = apsw.Connection(str(path))
    try:
        reader = SqliteTableReader(connection)
        columns = {table: names for table, names in reader.read_columns().items() if table not in ENGINE_ONLY}
        return digest_tables(reader, columns)
    finally:
        connection.close()


def rows_on_postgres(url: str) -> int:
    with read_snapshot(url) as reader:
        columns = reader.read_columns()
        return sum(reader.count_rows(table) for table in columns if table not in ENGINE_ONLY)


def test_no_table_and_no_column_is_forgotten(url: str) -> None:
    """A new table moves by itself; one that only one engine has must be named, with the reason."""
    sqlite = apsw.Connection(str(migrated_database()))
    with psycopg.connect(url, autocommit=True) as postgres:
        migrate(postgres)
        differences = list_differences(
            SqliteTableReader(sqlite).read_columns(), PostgresTableReader(postgres).read_columns()
        )
    sqlite.close()
    assert differences == sorted(ENGINE_ONLY)


def test_every_row_arrives_and_comes_back(data: Path, url: str, tmp_path: Path) -> None:
    before = digests_of(data / "tertulia.db")
    bytes_before = (data / "tertulia.db").read_bytes()
    moved = tertulia("move", "--to", url)
    assert moved.exit_code == 0, moved.exception
    assert "and compared" in moved.stderr
    assert "TERTULIA_SECRET_KEY" in moved.stderr
    assert (data / "tertulia.db").read_bytes() == bytes_before

    back = tertulia("move", "--from", url, "--to", tmp_path / "back" / "tertulia.db")
    assert back.exit_code == 0, back.exception
    assert digests_of(tmp_path / "back" / "tertulia.db") == before


def test_numbers_go_on_after_those_that_were_moved(data: Path, url: str) -> None:
    tertulia("move", "--to", url)
    with connect_tool(url) as connection:
        [(number,)] = connection.execute(
            "INSERT INTO sources (workspace_id, kind, source_id, said_at, state)"
            " SELECT workspace_id, 'file', 'new', 1, 'waiting' FROM sources LIMIT 1 RETURNING id"
        ).fetchall()
    assert number == 3


def test_references_and_rules_hold_after_a_move_as_before(data: Path, url: str) -> None:
    constraints = "SELECT conrelid, conname, pg_get_constraintdef(oid) FROM pg_constraint ORDER BY 1, 2"
    forced = "SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity ORDER BY 1"
    with psycopg.connect(url, autocommit=True) as connection:
        migrate(connection)
        tenant_tables = secure_tables(connection)
        before = connection.execute(constraints).fetchall()
        assert tertulia("move", "--to", url).exit_code == 0
        assert connection.execute(constraints).fetchall() == before
        assert {table for (table,) in connection.execute(forced)} == tenant_tables
        assert connection.execute("SELECT count(*) FROM messages").fetchall() == [(0,)], "of no workspace"


def test_a_target_with_data_is_refused(data: Path, url: str, tmp_path: Path) -> None:
    assert tertulia("move", "--to", url).exit_code == 0
    assert refusal("move", "--to", url).code == "target_not_empty"
    assert refusal("move", "--to", data / "tertulia.db").code == "target_not_empty"


def test_a_move_that_fails_leaves_the_target_empty(
    data: Path, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = apsw.Connection(str(data / "tertulia.db"))
    connection.execute("INSERT INTO events (topic, seq, body) VALUES ('no such topic', 1, '')")
    connection.close()
    assert refusal("move", "--to", url).message.startswith("A row does not fit the tables (")
    assert rows_on_postgres(url) == 0
    assert refusal("move", "--to", tmp_path / "new.db").code == "storage_failed"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_a_full_disk_ends_a_move_from_postgresql_in_a_sentence(data: Path, url: str, tmp_path: Path) -> None:
    assert tertulia("move", "--to", url).exit_code == 0
    target = tmp_path / "new" / "tertulia.db"
    ended = subprocess.run(
        [sys.executable, "-c", FULL_MOVE, "move", "--from", url, "--to", str(target)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1), ended.stderr
    assert ended.stderr.startswith("The server's disk is full.")
    assert list(target.parent.iterdir()) == []


@pytest.mark.parametrize("rows", [1, 100])
def test_a_move_that_is_killed_leaves_the_target_empty(
    data: Path, url: str, tmp_path: Path, rows: int
) -> None:
    before = digests_of(data / "tertulia.db")
    for target in (url, str(tmp_path / "new.db")):
        command = [sys.executable, "-c", KILLED_MOVE, str(rows), "move", "--to", target]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert rows_on_postgres(url) == 0
    assert not (tmp_path / "new.db").exists()

    assert tertulia("move", "--to", url).exit_code == 0
    assert tertulia("move", "--to", tmp_path / "new.db").exit_code == 0
    assert digests_of(tmp_path / "new.db") == before


def test_reclaiming_deletes_only_blobs_where_postgresql_keeps_the_rows(
    data: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    told = tertulia("reclaim", "--check")
    assert (told.exit_code, told.stdout) == (0, "large files without a row\t0\n"), told.exception


def test_nothing_moves_from_under_a_server(data: Path, url: str) -> None:
    server = DataDir(data)
    try:
        assert refusal("move", "--to", url).code == "server_running"
    finally:
        server.release()
    assert tertulia("move", "--to", url).exit_code == 0
    with psycopg.connect(url, application_name="tertulia serve"):
        assert refusal("move", "--from", url, "--to", data / "new.db").code == "server_running"


def test_a_server_whose_last_session_is_just_ending_keeps_nobody_waiting(
    data: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tertulia("move", "--to", url).exit_code == 0
    session = psycopg.connect(url, application_name="tertulia serve")
    monkeypatch.setattr(tool_connection, "sleep", lambda _: session.close())
    back = tertulia("move", "--from", url, "--to", data / "new.db")
    assert back.exit_code == 0, back.exception


@pytest.mark.parametrize("is_there", [True, False])
def test_no_server_starts_in_the_middle_of_a_move(tmp_path: Path, is_there: bool) -> None:
    address = parse_database_address(str(tmp_path / "new" / "tertulia.db"))
    assert isinstance(address, SqliteAddress)
    if is_there:
        address.path.parent.mkdir()
    address.make_folder()
    with address.keep_servers_away(), pytest.raises(DataDirInUse):
        DataDir(address.path.parent).check_exclusive()


def test_a_server_that_starts_on_the_source_undoes_the_move(
    data: Path, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tertulia("move", "--to", url).exit_code == 0
    sessions: list[psycopg.Connection[tuple[object, ...]]] = []

    def start_server(*args: Any, **options: Any) -> object:
        copied = copy_tables(*args, **options)
        sessions.append(psycopg.connect(url, application_name="tertulia"))
        return copied

    monkeypatch.setattr(move, "copy_tables", start_server)
    assert refusal("move", "--from", url, "--to", tmp_path / "new" / "tertulia.db").code == "server_running"
    assert list((tmp_path / "new").iterdir()) == []
    sessions[0].close()


def test_a_move_onto_itself_is_refused_for_what_it_is(data: Path) -> None:
    assert refusal("move", "--to", data / "tertulia.db").code == "target_not_empty"


def test_what_is_left_to_do_is_told_as_it_is(data: Path, url: str, tmp_path: Path) -> None:
    first = tertulia("move", "--to", url).stderr
    assert "set TERTULIA_SECRET_KEY to one from `openssl rand -hex 32`" in first
    (data / "secret.key").write_text("a key that was made")
    back = tertulia("move", "--from", url, "--to", tmp_path / "elsewhere.db").stderr
    assert f"put {tmp_path / 'elsewhere.db'} into the data directory as tertulia.db" in back


def test_a_password_is_never_shown(data: Path) -> None:
    address = "postgresql://ana:hidden@127.0.0.1:1/tertulia"
    assert "hidden" not in refusal("move", "--to", address).message
    assert str(parse_database_address(address)) == "postgresql://ana:••••@127.0.0.1:1/tertulia"
    asked = "postgresql://127.0.0.1/tertulia?user=ana&password=hidden&sslmode=require"
    assert str(parse_database_address(asked)) == asked.replace("hidden", "••••")


@pytest.mark.parametrize("password", ["hid%zden", "hid@den"])
def test_a_password_that_must_be_written_otherwise_is_not_shown(data: Path, password: str) -> None:
    refused = refusal("move", "--to", f"postgresql://ana:{password}@127.0.0.1:1/tertulia")
    assert refused.code == "setting_invalid"
    assert "den" not in refused.message


def test_a_file_that_is_no_database_is_refused(data: Path, url: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Not a database, and long enough to be looked at.\n" * 20)
    assert "is not a database" in refusal("move", "--from", tmp_path / "notes.txt", "--to", url).message


def test_data_of_an_earlier_schema_is_upgraded_first(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path))
    write_earlier_database(tmp_path / "tertulia.db", NEWEST_SCHEMA - 1)
    assert refusal("move", "--to", url).code == "schema_outdated"
    assert tertulia("upgrade").exit_code == 0
    assert tertulia("move", "--to", url).exit_code == 0


def test_nul_which_postgresql_cannot_hold_is_shown_as_a_replacement(data: Path, url: str) -> None:
    connection = apsw.Connection(str(data / "tertulia.db"))
    connection.execute("UPDATE messages SET content = 'a' || char(0) || 'b'")
    connection.close()
    assert tertulia("move", "--to", url).exit_code == 0
    with connect_tool(url) as postgres:
        assert set(postgres.execute("SELECT content FROM messages").fetchall()) == {("a\ufffdb",)}


@pytest.mark.parametrize("text", ["mysql://here/tertulia", "http://127.0.0.1/"])
def test_another_kind_of_database_is_refused(data: Path, text: str) -> None:
    assert refusal("move", "--to", text).code == "file_unreadable"


def test_speed_and_time_left_are_told_and_a_log_gets_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str],
) -> None:
    moments = iter([0.0, 2.0, 12.0, 13.0])
    shown: list[str] = []
    report = RowProgressReporter(
        lambda step, done, total: shown.append(step), is_drawn=False, clock=lambda: next(moments)
    )
    for done in (0, 120_000, 130_000):
        report("Copying", done, 10_000_000)
    assert shown == [
        "Copying",
        "Copying, 10,000 rows/s, 16 min left",
        "Copying, 10,000 rows/s, 16 min left",
    ]
    assert capsys.readouterr().err.splitlines() == [
        "Copying, 10,000 rows/s, 16 min left: 120,000 of 10,000,000 rows"
    ]
