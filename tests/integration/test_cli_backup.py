"""A backup holds the files too, and a restored server has all that the old one had."""

import asyncio
import json
import os
import shutil
import subprocess
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner, Result
from tests.databases import Engine, databases
from tests.files_world import Shelf
from tests.world import Person, World

from tertulia.cli.blob_copy import copy_blobs, open_blob_store
from tertulia.cli.commands import root
from tertulia.cli.database_address import read_database_address
from tertulia.cli.index_checks import check_blobs
from tertulia.core.errors import TertuliaError
from tertulia.files.blob_references import BlobReference, read_blob_references
from tertulia.settings import Settings

LARGE = os.urandom(1_500_000)
TEXT = "The harbour gate opens at dawn.\n" * 50_000


async def tertulia(*args: str | Path) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, root, [str(arg) for arg in args])


def set_data_dir(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Have commands work on the data of a folder, as a server there does."""
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(folder))
    if url := databases.url(folder / "tertulia.db"):
        monkeypatch.setenv("DATABASE_URL", url)


@pytest.fixture
async def shelf(world: World, ada: Person, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """A project with small and large files, one of them in two versions."""
    set_data_dir(monkeypatch, world.settings.data_dir)
    monkeypatch.setenv("TERTULIA_EMBEDDER", "off")
    shelf = await Shelf.of(ada)
    await shelf.send(("large.bin", LARGE), ("large.txt", TEXT.encode()), ("small.md", b"# Small\n"))
    await shelf.send(("large.bin", LARGE + b"again"))
    return shelf


async def everything(shelf: Shelf) -> list[tuple[str, int, bytes]]:
    files = (await shelf.page())["files"]
    return [(one["path"], one["version"], (await shelf.bytes_of(one["id"])).content) for one in files]


async def test_a_restored_backup_has_every_file_byte_for_byte(
    world: World, ada: Person, shelf: Shelf, tmp_path: Path
) -> None:
    before = await everything(shelf)
    made = await tertulia("backup", tmp_path / "copy")
    assert made.exit_code == 0, made.output
    check = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    await asyncio.to_thread(subprocess.run, check, cwd=tmp_path / "copy", check=True)

    with databases.on(Engine.SQLITE):
        await check_copy(tmp_path / "copy", ada, shelf, before)


async def check_copy(folder: Path, ada: Person, shelf: Shelf, before: list[tuple[str, int, bytes]]) -> None:
    """Start a server on a backup, which is a data directory of SQLite, and look for all that was there."""
    async with World.open(folder) as restored:
        there = Person(ada.principal, ada.token, restored.client(ada.token))
        restored.people.append(there)
        again = shelf.seen_by(there)
        assert await everything(again) == before
        listed = await there.get(f"{again.url}/{(await again.page())['files'][0]['id']}/versions")
        assert [one["version"] for one in listed.json()["versions"]] == [2, 1]
        answer = await there.post("/api/search/global", {"query": "harbour gate"})
        assert answer.status_code == 200


def references_of(world: World) -> list[BlobReference]:
    with read_database_address(world.settings).open_reader(world.settings) as reader:
        return read_blob_references(reader)


async def test_another_backup_to_the_same_place_follows_what_changed(shelf: Shelf, tmp_path: Path) -> None:
    target = tmp_path / "copy"
    await tertulia("backup", target)
    (target / "blobs" / "mine.txt").write_text("not a blob of ours")
    for file in (await shelf.page())["files"]:
        await shelf.delete(file["id"])
    assert (await tertulia("backup", target, "--force")).exit_code == 0
    assert [path.name for path in (target / "blobs").rglob("*") if path.is_file()] == ["mine.txt"]


async def test_a_file_that_the_store_lost_is_named_and_the_rest_is_copied(
    world: World, shelf: Shelf, tmp_path: Path
) -> None:
    named = references_of(world)
    (world.settings.data_dir / "blobs" / named[0].key).unlink()
    made = await tertulia("backup", tmp_path / "copy")
    assert made.exit_code == 1
    assert f"{named[0].key} is missing" in made.stderr
    copied = [path for path in (tmp_path / "copy" / "blobs").rglob("*") if path.is_file()]
    assert len(copied) == len(named) - 1 > 0


async def test_a_damaged_blob_is_never_taken_for_a_sound_one(
    world: World, shelf: Shelf, tmp_path: Path
) -> None:
    one = references_of(world)[0]
    target = tmp_path / "blobs" / one.key
    target.parent.mkdir(parents=True)
    target.write_bytes(b"x" * one.size)
    blobs = open_blob_store(world.settings)
    assert (
        await copy_blobs(blobs, [one], tmp_path / "blobs", report_progress=lambda step, done, total: None)
        == []
    )
    (world.settings.data_dir / "blobs" / one.key).write_bytes(b"x" * one.size)
    target.unlink()
    assert await copy_blobs(
        blobs, [one], tmp_path / "blobs", report_progress=lambda step, done, total: None
    ) == [one]
    assert not target.exists()


async def test_the_data_directory_is_not_backed_up_into_itself(world: World, shelf: Shelf) -> None:
    error = (await tertulia("backup", world.settings.data_dir, "--force")).exception
    assert isinstance(error, TertuliaError)
    assert "itself" in error.message


async def findings() -> dict[str, str]:
    told = await tertulia("doctor", "--json")
    return {one["name"]: one["state"] for one in json.loads(told.stdout)}


async def test_the_doctor_looks_at_index_and_blobs_while_a_server_runs(world: World, shelf: Shelf) -> None:
    assert {"index": "ok", "blob store": "ok", "embedder": "ok"}.items() <= (await findings()).items()
    shutil.rmtree(world.settings.data_dir / "blobs")
    assert (await findings())["blob store"] == "fail"


@pytest.mark.sqlite
async def test_the_doctor_reads_the_index_of_a_closed_server_to_its_end(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f"/api/projects/{shelf.project_id}/index"
    async with asyncio.timeout(30):
        while not (await shelf.person.get(place)).json()["chunks"]:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.05)
    await tertulia("backup", tmp_path / "copy")
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path / "copy"))
    assert (await findings())["index"] == "ok"
    connection = apsw.Connection(str(tmp_path / "copy" / "tertulia.db"))
    connection.execute("DELETE FROM chunk_words_docsize")
    connection.close()
    assert (await findings())["index"] == "warn"


@pytest.mark.parametrize(("embedder", "state"), [("off", "ok"), ("openai/some", "ok"), ("builtin", "warn")])
async def test_the_doctor_says_who_makes_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: str, state: str
) -> None:
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("TERTULIA_EMBEDDER", embedder)
    monkeypatch.setattr("tertulia.embedding.weights.find", lambda _settings: None)
    assert (await findings())["embedder"] == state


def test_a_store_elsewhere_is_looked_at_only_online(tmp_path: Path) -> None:

    settings = Settings(data_dir=tmp_path, blobs="s3://bucket/tertulia")
    assert "--online" in check_blobs(settings, online=False).message
