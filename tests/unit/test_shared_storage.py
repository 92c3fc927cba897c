"""A process that could not open the secrets of others, or would not find their files, does not start."""

import asyncio
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.databases import open_database

from tertulia.infra.blobs import Blobs
from tertulia.infra.db import Database
from tertulia.infra.shared_storage import (
    BlobStoreForeign,
    SecretKeyMissing,
    SecretKeyWrong,
    check_blob_store,
    check_secret_key,
)
from tertulia.settings import Settings

pytestmark = pytest.mark.both_engines

KEY = "one key for all processes"


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
