"""A process that could not open the secrets of others, or would not find their files, does not start."""

import asyncio
from collections.abc import Generator
from pathlib import Path

import apsw
import pytest
from tests.databases import migrated_database, open_database
from tests.source_modules import ROOT

from tertulia.cli.serve import MOVED_DATA
from tertulia.infra.blobs import Blobs
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.sqlite.table_reader import SqliteTableReader
from tertulia.infra.secrets import SecretVault
from tertulia.infra.shared_storage import (
    BlobStoreForeign,
    SecretKeyMissing,
    SecretKeyWrong,
    check_blob_store,
    check_secret_key,
)
from tertulia.reminders.push_keys import PushKeys
from tertulia.settings import Settings

pytestmark = pytest.mark.both_engines

KEY = "one key for all processes"
#: What a server had before it was moved, in the order of its references.
MOVED_ROWS: dict[str, dict[str, object]] = {
    "workspaces": {"id": "wsp_1", "name": "Harbour", "settings": "{}", "created_at": 1},
    "connections": {
        "id": "con_1",
        "workspace_id": "wsp_1",
        "kind": "openai",
        "slug": "openai",
        "base_url": "",
        "key_tail": "",
        "created_at": 1,
        "updated_at": 1,
    },
    "contents": {"workspace_id": "wsp_1", "hash": "hash", "size": 1, "created_at": 1},
}

#: Further secrets, of a calendar, a browser and of the server.
SEALED_ROWS = (
    """INSERT INTO users (id, email, name, password_hash, status, created_at)
       VALUES ('usr_1', 'ada@example.org', 'Ada', '!', 'active', 1)""",
    """INSERT INTO calendar_accounts (id, workspace_id, user_id, name, url, username, auth, sealed_secret,
         created_at, changed_at) VALUES ('row_1', 'wsp_1', 'usr_1', '', '', '', 'basic', :sealed, 1, 1)""",
    """INSERT INTO push_subscriptions (id, workspace_id, user_id, credential_id, endpoint_digest, sealed,
         created_at) VALUES ('row_1', 'wsp_1', 'usr_1', '', '', :sealed, 1)""",
    "INSERT INTO server_facts (name, value) VALUES ('push_key', :sealed)",
)


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "shared.db")
    yield database
    database.close()


def settings_with(key: str, folder: Path) -> Settings:
    return Settings(data_dir=folder, provider_env={"TERTULIA_SECRET_KEY": key} if key else {})


async def test_a_process_without_a_key_is_refused(db: Database, tmp_path: Path) -> None:
    with pytest.raises(SecretKeyMissing):
        await check_secret_key(db, settings_with("", tmp_path))
    assert not (tmp_path / "secret.key").exists(), "a key of its own would help nobody else"


async def test_the_key_of_the_first_process_is_that_of_all(db: Database, tmp_path: Path) -> None:
    await check_secret_key(db, settings_with(KEY, tmp_path))
    await check_secret_key(db, settings_with(KEY, tmp_path / "elsewhere"))
    with pytest.raises(SecretKeyWrong):
        await check_secret_key(db, settings_with("another key altogether", tmp_path))
    await check_secret_key(db, settings_with(KEY, tmp_path))


async def test_of_processes_that_start_at_once_one_key_wins(db: Database, tmp_path: Path) -> None:
    starts = [check_secret_key(db, settings_with(f"{KEY} {number}", tmp_path)) for number in range(4)]
    ends = await asyncio.gather(*starts, return_exceptions=True)
    assert [type(end) for end in ends].count(SecretKeyWrong) == 3
    assert ends.count(None) == 1


async def test_processes_that_share_a_folder_recognise_it(db: Database, tmp_path: Path) -> None:
    starts = [check_blob_store(db, Blobs("", folder=tmp_path / "shared")) for _ in range(4)]
    await asyncio.gather(*starts)
    await check_blob_store(db, Blobs(f"file://{tmp_path}/shared", folder=tmp_path / "own"))
    assert await Blobs("", folder=tmp_path / "shared").list() == [], "marks are no blobs"


async def test_a_process_with_a_store_of_its_own_is_refused(db: Database, tmp_path: Path) -> None:
    await check_blob_store(db, Blobs("", folder=tmp_path / "first"))
    with pytest.raises(BlobStoreForeign):
        await check_blob_store(db, Blobs("", folder=tmp_path / "second"))


async def write_moved_data(db: Database, *, sealed_with: Settings, blob: str) -> None:
    """Write a stored provider key and a large file, as a move brings them."""
    sealed = SecretVault(sealed_with).seal("sk-stored", context="con_1")

    def write(tx: Tx) -> None:
        for table, values in MOVED_ROWS.items():
            row = values | {"connections": {"sealed_key": sealed}, "contents": {"blob": blob}}.get(table, {})
            marks = ", ".join(f":{name}" for name in row)
            tx.run(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", **row)

    await db.write(write, by=None)


async def test_moved_secrets_are_not_given_up_for_another_key(db: Database, tmp_path: Path) -> None:
    await write_moved_data(db, sealed_with=settings_with(KEY, tmp_path), blob="wsp_1/file")
    with pytest.raises(SecretKeyWrong):
        await check_secret_key(db, settings_with("a key that was just made", tmp_path), moved=MOVED_DATA)
    await check_secret_key(db, settings_with(KEY, tmp_path), moved=MOVED_DATA)


def read_recipe() -> list[str]:
    """Return what the guide says to run where a key is lost."""
    guide = (ROOT.parents[1] / "docs/guide/operating.md").read_text()
    recipe = guide.partition("A key that is lost")[2].partition("```sql\n")[2].partition("```")[0]
    return [statement for statement in recipe.split(";\n") if statement and not statement.startswith("SET ")]


async def test_where_a_key_is_lost_a_server_starts_with_another_after_what_the_guide_says(
    db: Database, tmp_path: Path
) -> None:
    old, new = settings_with(KEY, tmp_path), settings_with("a key that was just made", tmp_path)
    await write_moved_data(db, sealed_with=old, blob="wsp_1/file")
    sealed = SecretVault(old).seal("of ada", context="row_1")
    await db.write(lambda tx: [tx.run(sql, sealed=sealed) for sql in SEALED_ROWS], by=None)
    await check_secret_key(db, old, moved=MOVED_DATA)
    with pytest.raises(SecretKeyWrong):
        await check_secret_key(db, new, moved=MOVED_DATA)

    recipe = read_recipe()
    await db.write(lambda tx: [tx.run(sql) for sql in recipe], by=None)
    await check_secret_key(db, new, moved=MOVED_DATA)
    assert await PushKeys(db, SecretVault(new), contact="").public_key()


async def test_moved_files_are_not_given_up_for_an_empty_store(db: Database, tmp_path: Path) -> None:
    await write_moved_data(db, sealed_with=settings_with(KEY, tmp_path), blob="wsp_1/file")
    (tmp_path / "full" / "wsp_1").mkdir(parents=True)
    (tmp_path / "full" / "wsp_1" / "file").touch()
    with pytest.raises(BlobStoreForeign):
        await check_blob_store(db, Blobs("", folder=tmp_path / "empty"), moved=MOVED_DATA)
    await check_blob_store(db, Blobs("", folder=tmp_path / "full"), moved=MOVED_DATA)


def test_no_column_with_secrets_is_forgotten(tmp_path: Path) -> None:
    connection = apsw.Connection(str(migrated_database()))
    columns = SqliteTableReader(connection).read_columns()
    connection.close()
    sealed = {
        table: column for table, names in columns.items() for column in names if column.startswith("sealed")
    }
    known = "a secret of another table belongs into `MOVED_DATA`"
    assert sealed == {
        "calendar_accounts": "sealed_secret",
        "connections": "sealed_key",
        "http_tools": "sealed",
        "push_subscriptions": "sealed",
        "tool_servers": "sealed",
    }, known
