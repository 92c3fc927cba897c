"""What a message costs on disk, with its receipt, its place in the index and what is kept of its search."""

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics
from random import Random

import apsw
import pytest
from tests import fake_embedder
from tests.databases import Engine, databases
from tests.effort import SOAK_FACTOR
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Person, World

#: Rounds of each of two conversations: the second finds what was said in the first.
ROUNDS = 20
FILES = 6
#: Of a database as small as this, a good part is pages that are not full yet.
MESSAGE_MAX_BYTES = 6_500
INDEX_MAX_SHARE = 0.6

#: A table of several models with short texts: each question is stored once, and most else for each of them.
TABLE_MODELS = ("scripted-fast", "scripted-smart", "scripted-third")
#: With all effort, a thousand messages.
TABLE_ROUNDS = 60 if SOAK_FACTOR == 1 else 250
#: Rounds after which the next conversation begins.
TABLE_CONVERSATION_ROUNDS = 20
TABLE_FILES = 12
TABLE_MESSAGE_MAX_BYTES = 6_144
TABLE_INDEX_MAX_SHARE = 0.5


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


async def test_a_message_of_several_models_costs_few_bytes_in_all(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    if databases.engine is not Engine.SQLITE:
        return  # PostgreSQL compresses by itself
    fake_embedder.use(monkeypatch, FakeEmbedder(dimensions=384))
    async with World.open(tmp_path / "data", provider=provider) as world:
        path = tmp_path / "data" / "tertulia.db"
        empty = lasting_bytes(path, tmp_path / "empty.db")
        await talk_at_a_table(world, provider, rounds=TABLE_ROUNDS)
    full = tmp_path / "full.db"
    grown = lasting_bytes(path, full) - empty
    weights = measure(full)
    assert weights.messages == (1 + len(TABLE_MODELS)) * TABLE_ROUNDS
    assert grown / weights.messages < TABLE_MESSAGE_MAX_BYTES
    assert weights.index_bytes / weights.indexed_chars < TABLE_INDEX_MAX_SHARE


@dataclass(frozen=True, slots=True)
class Weights:
    """What a database holds: messages, characters found by words, and bytes of the index of words."""

    messages: int
    indexed_chars: int
    index_bytes: int


def measure(path: Path) -> Weights:
    """Return what a copied database holds once its last entries are merged, as they are with the next."""
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("INSERT INTO chunk_words (chunk_words) VALUES ('optimize')")
        messages = connection.execute("SELECT count(*) FROM messages").get
        chars = connection.execute("SELECT sum(end_char - start_char) FROM chunks").get
        index = connection.execute("SELECT sum(length(block)) FROM chunk_words_data").get
    return Weights(messages, chars, index)


async def talk_at_a_table(world: World, provider: ScriptedProvider, *, rounds: int) -> None:
    """Ask several models question after question in conversations of a project with files."""
    chance = Random(3)
    sentences = [sentence for text in paragraphs()[:80] for sentence in sentences_of(text)]
    ada = await world.person()
    shelf = await Shelf.of(ada)
    for number in range(TABLE_FILES):
        await shelf.write(f"n{number}.md", f"# Note {number}\n\n{' '.join(chance.sample(sentences, 12))}")
    place: dict[str, str] = {}
    for number in range(rounds):
        if number % TABLE_CONVERSATION_ROUNDS == 0:
            await indexed(world)
            place = {"project_id": shelf.project_id}
        for model in TABLE_MODELS:
            provider.script(model, Script(reply=" ".join(chance.sample(sentences, chance.randint(3, 7)))))
        question = f"What about this: {chance.choice(sentences)} And {chance.choice(sentences)[:80]}"
        turn = await ada.start(question, models=TABLE_MODELS, **place)
        place = {"conversation_id": turn["conversation"]["id"]}
        await ada.finished(turn)
    await indexed(world)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text that are neither short nor long."""
    return [sentence for sentence in re.split(r"(?<=[.!?])\s+", text) if 30 < len(sentence) < 200]


async def talk(ada: Person, shelf: Shelf, texts: Iterator[str], provider: ScriptedProvider) -> None:
    """Ask question after question in a new conversation of the project."""
    place: dict[str, str] = {"project_id": shelf.project_id}
    for _ in range(ROUNDS):
        provider.script("scripted-fast", Script(reply=next(texts)))
        turn = await ada.start(next(texts)[:240], **place)
        place = {"conversation_id": turn["conversation"]["id"]}
        await ada.finished(turn)
