"""The data of every earlier version opens in this one, and a failed upgrade leaves it as it was."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner, Result
from tests.databases import migrated_database
from tests.earlier_schemas import KEPT_ROWS, NEWEST_SCHEMA, write_earlier_database

from tertulia.accounts.deletion import ACCOUNT_LEFTOVERS_JOB, ClosedAccount
from tertulia.cli.commands import root
from tertulia.cli.database_copy import find_database_problems
from tertulia.core.errors import TertuliaError
from tertulia.infra.datadir import DataDir
from tertulia.infra.db.errors import SchemaTooNew
from tertulia.infra.db.sqlite.connection import open_connection
from tertulia.infra.db.sqlite.migration import migrate
from tertulia.infra.db.sqlite.table_reader import SqliteTableReader
from tertulia.infra.db.table_digests import TableDigest, digest_rows, digest_tables

MIGRATE = """
import os, signal, sys
from pathlib import Path
from tertulia.infra.db.sqlite.connection import open_connection
from tertulia.infra.db.sqlite.migration import migrate
connection = open_connection(Path(sys.argv[1]), busy_seconds=20)
left = int(sys.argv[2])
def count(*_):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return True
connection.exec_trace = count
print("ready", flush=True)
sys.stdin.readline()
migrate(connection)
"""


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path))
    return tmp_path


def tertulia(*args: str) -> Result:
    return CliRunner().invoke(root, args)


def start_migrating(path: Path, *, kill_at_statement: int = 0) -> subprocess.Popen[str]:
    """Start a process that has opened a database, and migrates it when it is told to."""
    command = [sys.executable, "-c", MIGRATE, str(path), str(kill_at_statement)]
    process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def go_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def schema_of(path: Path) -> set[tuple[object, ...]]:
    """Return what a database is made of, whatever the white space and quotes of its statements."""
    connection = apsw.Connection(str(path))
    try:
        made = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
        return {(*parts, " ".join(str(sql).replace('"', "").split())) for *parts, sql in made}
    finally:
        connection.close()


def version_of(path: Path) -> int:
    connection = apsw.Connection(str(path))
    try:
        return int(connection.pragma("user_version"))
    finally:
        connection.close()


def digests_of(path: Path) -> dict[str, TableDigest]:
    connection = apsw.Connection(str(path))
    try:
        reader = SqliteTableReader(connection)
        return digest_tables(reader, reader.read_columns())
    finally:
        connection.close()


@pytest.mark.parametrize("number", range(1, NEWEST_SCHEMA))
def test_every_earlier_schema_becomes_the_newest_and_keeps_what_was_there(
    tmp_path: Path, number: int
) -> None:
    path = tmp_path / "tertulia.db"
    write_earlier_database(path, number)
    had = digests_of(path)
    connection = open_connection(path, busy_seconds=1)
    assert migrate(connection) == NEWEST_SCHEMA
    connection.close()

    assert schema_of(path) == schema_of(migrated_database())
    assert find_database_problems(path) == []
    has = digests_of(path)
    kept = [table for table, _ in KEPT_ROWS if table in had]
    assert [has[table].rows for table in kept] == [1] * len(kept)


def test_two_processes_that_migrate_at_once_claim_intervals(tmp_path: Path) -> None:
    path = tmp_path / "tertulia.db"
    write_earlier_database(path, 1)
    processes = [start_migrating(path) for _ in range(2)]
    for process in processes:
        go_on(process)
    assert [process.wait(30) for process in processes] == [0, 0]
    assert version_of(path) == NEWEST_SCHEMA
    assert find_database_problems(path) == []


@pytest.mark.parametrize("statement", [2, 40, 150, 250])
def test_a_migration_that_is_killed_leaves_everything_as_it_was(tmp_path: Path, statement: int) -> None:
    path = tmp_path / "tertulia.db"
    write_earlier_database(path, 4)
    before = schema_of(path), digests_of(path)
    process = start_migrating(path, kill_at_statement=statement)
    go_on(process)
    assert process.wait(30) == -signal.SIGKILL

    assert (schema_of(path), digests_of(path)) == before
    assert version_of(path) == 4
    assert tertulia("upgrade").exit_code == 0
    assert version_of(path) == NEWEST_SCHEMA


def test_a_rehearsal_says_what_an_upgrade_would_do_and_changes_nothing(data: Path) -> None:
    path = data / "tertulia.db"
    write_earlier_database(path, 18)
    before = schema_of(path), digests_of(path)
    rehearsed = tertulia("upgrade", "--rehearse")

    assert rehearsed.exit_code == 0, rehearsed.output
    rows = {line.split("\t")[0]: line.split("\t")[1:] for line in rehearsed.stdout.splitlines()}
    assert rows["messages"] == ["1", "1", "kept"]
    assert rows["deletions"] == ["", "1", "new"]
    assert f"from schema 18 to {NEWEST_SCHEMA} in" in rehearsed.stderr
    assert (schema_of(path), digests_of(path)) == before
    assert version_of(path) == 18
    assert not (data / "rehearsal").exists()


def test_a_rehearsal_finds_what_an_upgrade_rewrites(data: Path) -> None:
    path = data / "tertulia.db"
    write_earlier_database(path, 23)
    connection = apsw.Connection(str(path))
    changed = '{"type":"conversation.changed","conversation":{"id":"cnv_1"}}'
    connection.execute(
        "INSERT INTO topics VALUES ('cnv_1', 1); INSERT INTO events VALUES ('cnv_1', 1, ?)", (changed,)
    )
    connection.close()
    rows = [line.split("\t") for line in tertulia("upgrade", "--rehearse").stdout.splitlines()]
    assert ["events", "1", "1", "changed"] in rows


def test_a_rehearsal_runs_beside_a_server_and_an_upgrade_does_not(data: Path) -> None:
    write_earlier_database(data / "tertulia.db", NEWEST_SCHEMA - 1)
    server = DataDir(data)
    try:
        assert tertulia("upgrade", "--rehearse").exit_code == 0
        refused = tertulia("upgrade").exception
        assert isinstance(refused, TertuliaError)
        assert refused.code == "server_running"
        assert version_of(data / "tertulia.db") == NEWEST_SCHEMA - 1
    finally:
        server.release()


def test_a_database_that_is_up_to_date_is_left_alone(data: Path) -> None:
    write_earlier_database(data / "tertulia.db", NEWEST_SCHEMA)
    for command in (["upgrade"], ["upgrade", "--rehearse"]):
        assert "nothing to do" in tertulia(*command).stderr


@pytest.mark.parametrize("command", [["upgrade"], ["upgrade", "--rehearse"], ["user", "list"]])
def test_a_schema_from_the_future_is_refused_with_a_sentence(data: Path, command: list[str]) -> None:
    write_earlier_database(data / "tertulia.db", NEWEST_SCHEMA)
    connection = apsw.Connection(str(data / "tertulia.db"))
    connection.pragma("user_version", NEWEST_SCHEMA + 1)
    connection.close()
    assert isinstance(tertulia(*command).exception, SchemaTooNew)
    assert version_of(data / "tertulia.db") == NEWEST_SCHEMA + 1


def test_digests_know_rows_and_not_their_order() -> None:
    rows = [(1, "a", None, b"\0", 0.5), (2, "ä", 1, b"", 1e300)]
    assert digest_rows(rows) == digest_rows(reversed(rows))
    assert digest_rows([*rows, rows[0]]) != digest_rows([*rows, rows[1]])
    assert digest_rows([(1, "a")]) != digest_rows([("1", "a")])
    assert digest_rows([]).rows == 0


def test_what_was_left_of_deleted_accounts_and_workspaces_is_removed(data: Path) -> None:
    write_earlier_database(data / "tertulia.db", 56)
    connection = open_connection(data / "tertulia.db", busy_seconds=0)
    connection.execute("UPDATE users SET deleted_at = 5")
    connection.execute("UPDATE presets SET workspace_id = 'wsp_gone'")
    connection.execute("INSERT INTO preset_removed_servers (preset_id, slug) VALUES ('pre_1', 'gone')")
    migrate(connection)
    for table in ("presets", "preset_removed_servers"):
        assert connection.execute(f"SELECT count(*) FROM {table}").get == 0
    [(kind, payload)] = connection.execute("SELECT kind, payload FROM jobs").fetchall()
    assert kind == ACCOUNT_LEFTOVERS_JOB
    assert ClosedAccount(**json.loads(str(payload))) == ClosedAccount("usr_1", [])
    connection.close()
