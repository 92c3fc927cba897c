"""A backup goes back into either engine, whole or not at all."""

import errno
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.databases import Engine, databases
from tests.earlier_schemas import NEWEST_SCHEMA, write_earlier_database
from tests.files_world import Shelf
from tests.filled_tables import write_filled_database
from tests.integration.test_cli_backup import everything, set_data_dir, shelf, tertulia
from tests.integration.test_move import digests_of, url
from tests.world import Person, World

from tertulia.cli.backup import write_checksums
from tertulia.cli.commands import root
from tertulia.cli.database_address import PostgresAddress
from tertulia.cli.database_copy import checksum
from tertulia.cli.machine_checks import read_schema_version
from tertulia.core.errors import TertuliaError
from tertulia.infra.datadir import DataDir
from tertulia.infra.db.errors import DiskFull
from tertulia.infra.db.postgres import migration
from tertulia.infra.db.postgres.tool_connection import connect_tool
from tertulia.settings import Settings

__all__ = ["shelf", "url"]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A data directory that is not there yet."""
    return tmp_path / "elsewhere"


async def test_a_restored_server_has_every_file_and_the_key(
    world: World, ada: Person, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (world.settings.data_dir / "secret.key").write_text("the key of stored secrets")
    before = await everything(shelf)
    assert (await tertulia("backup", tmp_path / "copy", "--with-secret-key")).exit_code == 0
    set_data_dir(monkeypatch, elsewhere)
    restored = await tertulia("restore", tmp_path / "copy")

    assert restored.exit_code == 0, restored.exception
    database = ["tertulia.db"] if databases.engine is Engine.SQLITE else []
    assert sorted(os.listdir(elsewhere)) == ["blobs", "secret.key", *database]
    assert (elsewhere / "secret.key").read_text() == "the key of stored secrets"
    assert (elsewhere / "secret.key").stat().st_mode & 0o777 == 0o600
    async with World.open(elsewhere) as again:
        there = Person(ada.principal, ada.token, again.client(ada.token))
        again.people.append(there)
        assert await everything(shelf.seen_by(there)) == before
    assert (await tertulia("restore", tmp_path / "copy")).exception is not None, "there is data by now"


async def refusal(*args: str | Path) -> str:
    error = (await tertulia(*args)).exception
    assert isinstance(error, TertuliaError), error
    return error.code


async def test_a_damaged_backup_is_refused_before_anything_is_written(
    shelf: Shelf, tmp_path: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tertulia("backup", tmp_path / "copy")
    set_data_dir(monkeypatch, elsewhere)
    blob = next(path for path in (tmp_path / "copy" / "blobs").rglob("*") if path.is_file())
    blob.write_bytes(b"x")
    assert await refusal("restore", tmp_path / "copy") == "file_unreadable"
    assert "elsewhere" not in os.listdir(tmp_path)
    (tmp_path / "copy" / "SHA256SUMS").unlink()
    assert await refusal("restore", tmp_path / "copy") == "file_unreadable"


async def test_a_backup_is_not_restored_over_data_or_under_a_server(
    tmp_path: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    write_earlier_database(tmp_path / "data" / "tertulia.db", NEWEST_SCHEMA)
    assert (await tertulia("backup", tmp_path / "copy")).exit_code == 0
    assert await refusal("restore", tmp_path / "copy") == "target_not_empty"
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(elsewhere))
    server = DataDir(elsewhere)
    try:
        assert await refusal("restore", tmp_path / "copy") == "server_running"
    finally:
        server.release()
    (elsewhere / "tertulia.db-wal").touch()
    assert await refusal("restore", tmp_path / "copy") == "target_not_empty"
    (elsewhere / "tertulia.db-wal").unlink()
    assert (await tertulia("restore", tmp_path / "copy")).exit_code == 0


async def test_a_backup_of_an_earlier_version_is_brought_up_to_date(
    tmp_path: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    write_earlier_database(copy / "tertulia.db", 20)
    before = checksum(copy / "tertulia.db")
    write_checksums(copy, {"tertulia.db": before})
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(elsewhere))
    assert (await tertulia("restore", copy)).exit_code == 0
    assert digests_of(elsewhere / "tertulia.db")["messages"].rows == 1
    assert f"number {NEWEST_SCHEMA}" in (await tertulia("doctor")).stdout
    assert checksum(copy / "tertulia.db") == before
    assert sorted(os.listdir(copy)) == ["SHA256SUMS", "tertulia.db"]


@pytest.mark.postgres
async def test_a_backup_can_be_made_before_postgresql_is_upgraded(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = migration.load_migrations()
    for place, (number, _) in enumerate(known):
        with monkeypatch.context() as before, connect_tool(url) as connection:
            before.setattr(migration, "load_migrations", lambda upto=known[: place + 1]: upto)
            migration.migrate(connection)
            if place == 0:
                connection.execute("INSERT INTO workspaces VALUES ('wsp_1', 'Harbour', '{}', 1)")
        copy, elsewhere = tmp_path / f"copy-{number}", tmp_path / f"restored-{number}"
        monkeypatch.setenv("TERTULIA_DATA_DIR", str(elsewhere))
        monkeypatch.setenv("DATABASE_URL", url)
        assert (await tertulia("backup", copy)).exit_code == 0, number
        assert read_schema_version(copy / "tertulia.db") == number
        monkeypatch.delenv("DATABASE_URL")
        assert (await tertulia("restore", copy)).exit_code == 0, number
        assert digests_of(elsewhere / "tertulia.db")["workspaces"].rows == 1
        assert read_schema_version(elsewhere / "tertulia.db") == NEWEST_SCHEMA


def test_a_disk_that_fills_up_during_a_restore_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_filled_database(tmp_path / "copy" / "tertulia.db")
    write_checksums(tmp_path / "copy", {"tertulia.db": checksum(tmp_path / "copy" / "tertulia.db")})

    def fill_disk(source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(source))

    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path / "new"))
    monkeypatch.setattr("shutil.copyfile", fill_disk)
    assert isinstance(CliRunner().invoke(root, ["restore", str(tmp_path / "copy")]).exception, DiskFull)
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.postgres
def test_a_file_goes_into_postgresql_and_comes_out_the_same(tmp_path: Path, url: str) -> None:
    settings = Settings(data_dir=tmp_path)
    write_filled_database(tmp_path / "tertulia.db")
    address = PostgresAddress(url)
    address.check_empty()
    address.fill_from_file(tmp_path / "tertulia.db", settings)
    with pytest.raises(TertuliaError, match="holds data already"):
        address.check_empty()
    address.copy_to_file(tmp_path / "copy.db", settings)
    assert digests_of(tmp_path / "copy.db") == digests_of(tmp_path / "tertulia.db")
