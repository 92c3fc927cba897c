"""What a message costs on disk, with its receipt, its place in the index and what is kept of its search."""

from collections.abc import Iterator
from pathlib import Path
from pydoc_data.topics import topics

import apsw
import pytest
from tests import fake_embedder
from tests.databases import Engine, databases
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Person, World

#: Rounds of each of two conversations: the second finds what was said in the first.
ROUNDS = 20
FILES = 6
#: Of a database as small as this, a good part is pages that are not full yet.
MESSAGE_MAX_BYTES = 8_000
INDEX_MAX_SHARE = 0.6


def paragraphs() -> list[str]:
    """Return English prose about Python, in pieces of the length of ordinary replies."""
    prose = " ".join(" ".join(topics[name].split()) for name in sorted(topics))
    return [prose[start : start + 900] for start in range(0, len(prose), 900)]


def lasting_bytes(path: Path, copy: Path) -> int:
    """Return what a database takes once events are forgotten, without free pages."""
    connection = apsw.Connection(str(path))
    try:
        connection.execute(f"VACUUM INTO '{copy}'")
    finally:
        connection.close()
    kept = apsw.Connection(str(copy))
    try:
        kept.execute("DELETE FROM events")
        kept.execute("VACUUM")
        return kept.pragma("page_count") * kept.pragma("page_size")
    finally:
        kept.close()


async def test_a_message_costs_few_bytes_in_all(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    if databases.engine is not Engine.SQLITE:
        return  # PostgreSQL compresses by itself
    fake_embedder.use(monkeypatch, FakeEmbedder(dimensions=384))
    texts = iter(paragraphs())
    async with World.open(tmp_path / "data", provider=provider) as world:
        path = tmp_path / "data" / "tertulia.db"
        ada = await world.person()
        shelf = await Shelf.of(ada)
        empty = lasting_bytes(path, tmp_path / "empty.db")
        for number in range(FILES):
            await shelf.write(f"chapter{number}.md", next(texts) + next(texts))
        for _ in range(2):
            await talk(ada, shelf, texts, provider)
            await indexed(world)
        messages = await world.db.read(lambda tx: tx.value("SELECT count(*) FROM messages"), by=None)
        stats = (await ada.get("/api/memory/debug/stats")).json()
    assert messages == 4 * ROUNDS
    assert (lasting_bytes(path, tmp_path / "full.db") - empty) / messages < MESSAGE_MAX_BYTES
    sizes = {name: float(size.split()[0]) for name, size in stats["indexSizes"].items()}
    assert sizes["fts"] <= INDEX_MAX_SHARE * (sizes["messages"] + sizes["files"]) + 0.05


async def talk(ada: Person, shelf: Shelf, texts: Iterator[str], provider: ScriptedProvider) -> None:
    """Ask question after question in a new conversation of the project."""
    place: dict[str, str] = {"project_id": shelf.project_id}
    for _ in range(ROUNDS):
        provider.script("scripted-fast", Script(reply=next(texts)))
        turn = await ada.start(next(texts)[:240], **place)
        place = {"conversation_id": turn["conversation"]["id"]}
        await ada.finished(turn)
