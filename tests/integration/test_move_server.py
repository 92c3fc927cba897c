"""A server that moved to PostgreSQL, or back, has everything that it had, and finds it."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.databases import Engine, databases
from tests.files_world import Shelf
from tests.integration.test_cli_backup import LARGE, everything, tertulia
from tests.integration.test_move import url
from tests.scripted_provider import ScriptedProvider
from tests.world import Json, Person, World

pytestmark = pytest.mark.postgres

__all__ = ["url"]

SECRET_KEY = "the secret key of a server that moves"
FOUND_TIMEOUT_SECONDS = 30


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[dict[str, str]]:
    """What the server and the commands are both told; a server uses SQLite unless it is told of another."""
    env = {"TERTULIA_SECRET_KEY": SECRET_KEY, "TERTULIA_DATA_DIR": str(tmp_path / "data")}
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with databases.on(Engine.SQLITE):
        yield env


@asynccontextmanager
async def reopen(
    data_dir: Path, provider: ScriptedProvider, ada: Person, **env: str
) -> AsyncGenerator[Person]:
    """Start a server on data that is there, and be the same person in it."""
    async with World.open(data_dir, provider=provider, **env) as world:
        there = Person(ada.principal, ada.token, world.client(ada.token))
        world.people.append(there)
        yield there


async def export_everything(person: Person) -> dict[str, bytes]:
    """Return every conversation as it is exported, in both formats."""
    listed = (await person.get("/api/conversations")).json()["conversations"]
    return {
        f"{conversation['id']} {export_format}": (
            await person.get(f"/api/conversations/{conversation['id']}/export?format={export_format}")
        ).content
        for conversation in listed
        for export_format in ("json", "markdown")
    }


async def find_harbour(person: Person) -> list[str]:
    """Return what a search finds, once all of it is in the index of words: the file, a question, a reply."""
    async with asyncio.timeout(FOUND_TIMEOUT_SECONDS):
        while True:
            found: Json = (await person.post("/api/search/global", {"query": "harbour"})).json()
            sources = {hit["source_id"] for hit in found["hits"]}
            if len(sources) == 3:
                return sorted(sources)
            await asyncio.sleep(0.05)


async def test_exports_files_and_searches_are_the_same_on_either_engine(
    tmp_path: Path, provider: ScriptedProvider, url: str, environment: dict[str, str]
) -> None:
    data = tmp_path / "data"
    async with World.open(data, provider=provider, TERTULIA_SECRET_KEY=SECRET_KEY) as world:
        ada = await world.person()
        await ada.ask("Where is the harbour master? 😀")
        shelf = await Shelf.of(ada)
        await shelf.send(("large.bin", LARGE), ("harbour.md", b"# The harbour\n"))
        before = await export_everything(ada), await everything(shelf), await find_harbour(ada)

    assert (await tertulia("move", "--to", url)).exit_code == 0
    async with reopen(data, provider, ada, DATABASE_URL=url, TERTULIA_SECRET_KEY=SECRET_KEY) as there:
        after = (
            await export_everything(there),
            await everything(shelf.seen_by(there)),
            await find_harbour(there),
        )
        assert after == before

    (data / "tertulia.db").rename(tmp_path / "old.db")
    moved = await tertulia("move", "--from", url, "--to", data / "tertulia.db")
    assert moved.exit_code == 0, moved.exception
    async with reopen(data, provider, ada, TERTULIA_SECRET_KEY=SECRET_KEY) as back:
        again = (
            await export_everything(back),
            await everything(shelf.seen_by(back)),
            await find_harbour(back),
        )
        assert again == before


async def test_a_backup_of_either_engine_is_restored_into_either(
    tmp_path: Path,
    provider: ScriptedProvider,
    url: str,
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_SECRET_KEY=SECRET_KEY) as world:
        ada = await world.person()
        await ada.ask("Where is the harbour master?")
        shelf = await Shelf.of(ada)
        await shelf.send(("large.bin", LARGE), ("small.md", b"# Small\n"))
        before = await export_everything(ada), await everything(shelf)
        assert (await tertulia("backup", tmp_path / "copy")).exit_code == 0

    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path / "second"))
    monkeypatch.setenv("DATABASE_URL", url)
    restored = await tertulia("restore", tmp_path / "copy")
    assert restored.exit_code == 0, restored.exception
    shared = {"DATABASE_URL": url, "TERTULIA_SECRET_KEY": SECRET_KEY}
    async with reopen(tmp_path / "second", provider, ada, **shared) as there:
        assert (await export_everything(there), await everything(shelf.seen_by(there))) == before
        assert (await tertulia("backup", tmp_path / "copy of postgres")).exit_code == 0

    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path / "third"))
    monkeypatch.delenv("DATABASE_URL")
    assert (await tertulia("restore", tmp_path / "copy of postgres")).exit_code == 0
    async with reopen(tmp_path / "third", provider, ada, TERTULIA_SECRET_KEY=SECRET_KEY) as back:
        assert (await export_everything(back), await everything(shelf.seen_by(back))) == before
