"""`tertulia reclaim`: a database from before deleted rows were overwritten is cleaned too."""

from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner, Result

from tertulia.cli.commands import root
from tertulia.infra.db.sqlite.database import SqliteDatabase
from tertulia.infra.db.sqlite.migration import load_migrations

CANARY = b"zyzzogeton"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(folder))
    return folder


def tertulia(*args: str) -> Result:
    return CliRunner().invoke(root, args)


def make_old_database(path: Path) -> None:
    """Make a database as it was before: with somebody in it, and deleted text in its free pages."""
    connection = apsw.Connection(str(path))
    for number, script in load_migrations():
        if number < 19:
            connection.execute(script)
            connection.execute(f"PRAGMA user_version = {number}")
    connection.execute("INSERT INTO users VALUES ('usr_1', 'ana@example.org', 'Ana', '!', 'active', 1)")
    connection.execute("INSERT INTO workspaces VALUES ('wsp_1', 'Home', ?, 1)", ((CANARY * 5_000).decode(),))
    connection.execute("UPDATE workspaces SET settings = '{}'")
    connection.close()


def traces(folder: Path) -> int:
    return sum(path.read_bytes().count(CANARY) for path in folder.rglob("*") if path.is_file())


def test_old_free_pages_are_found_and_cleaned(data: Path) -> None:
    make_old_database(data / "tertulia.db")
    assert traces(data) > 0

    told = tertulia("reclaim", "--check")
    assert told.exit_code == 1
    assert "deletions since the last compaction\t1" in told.stdout
    assert traces(data) > 0
    assert tertulia("reclaim").exit_code == 0
    assert traces(data) == 0
    assert "deletions since the last compaction\t0" in tertulia("reclaim", "--check").stdout


def test_a_new_database_has_nothing_to_reclaim(data: Path) -> None:
    SqliteDatabase(data / "tertulia.db").close()
    assert tertulia("reclaim", "--check").exit_code == 0


def test_the_doctor_tells_what_was_deleted_long_ago_and_is_still_on_disk(data: Path) -> None:
    make_old_database(data / "tertulia.db")
    SqliteDatabase(data / "tertulia.db").close()
    assert "about to be" in tertulia("doctor").stdout
    connection = apsw.Connection(str(data / "tertulia.db"))
    connection.execute("UPDATE deletions SET at = 1")
    connection.close()
    assert "Run `tertulia reclaim`" in tertulia("doctor").stdout
