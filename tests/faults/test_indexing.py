"""The index under changes, crashes and damage: at rest it agrees with what there is, and search goes on."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import apsw
import pytest
import pytest_asyncio

from tertulia.infra.db import Database, Tx
from tertulia.infra.db.errors import StorageFailed
from tertulia.retrieval import indexer
from tertulia.retrieval.full_text_index import FullTextIndex
from tertulia.retrieval.full_text_rebuild import has_all_chunks, is_readable, rebuild_full_text_index
from tertulia.retrieval.indexer import ChunkBatch
from tertulia.retrieval.indexes import SearchIndexes
from tertulia.retrieval.store import INDEX_ATTEMPTS_MAX
from tests import fake_embedder
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.process import ServerProcess
from tests.scripted_provider import ScriptedProvider
from tests.search_world import contents, hits, indexed, rows, search, until
from tests.world import Json, Person, World

pytestmark = pytest.mark.asyncio(loop_scope="function")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    one = FakeEmbedder()
    fake_embedder.use(monkeypatch, one)
    return one


@pytest_asyncio.fixture(loop_scope="function")
async def world(tmp_path: Path, provider: ScriptedProvider, fake: FakeEmbedder) -> AsyncGenerator[World]:
    del fake
    async with World.open(tmp_path / "data", provider=provider) as world:
        yield world


@pytest_asyncio.fixture(loop_scope="function")
async def shelf(world: World) -> Shelf:
    return await Shelf.of(await world.person(role="owner"))


def sections(*numbers: int) -> str:
    """Return a text of several chunks, one for each number."""
    return "\n\n".join(f"# Part {number}\n\n" + f"Walrus{number} eats clams. " * 120 for number in numbers)


@pytest.mark.both_engines
async def test_a_changed_text_is_found_in_its_new_form_alone_and_only_what_changed_is_embedded(
    world: World, shelf: Shelf, fake: FakeEmbedder
) -> None:
    file = await shelf.write("a.md", sections(1, 2, 3))
    await indexed(world)
    first = len(fake.texts)
    await search(shelf.person, "walrus2", shelf.project_id)

    assert (await shelf.replace(file["id"], sections(1, 2, 4))).status_code == 200
    await indexed(world)
    again = fake.texts[first:]
    assert again
    assert all("Walrus4" in text for text in again)
    assert await hits(shelf.person, "walrus3", shelf.project_id, parts=["lexical"]) == []
    assert await hits(shelf.person, "walrus4", shelf.project_id, parts=["lexical"])
    counted = await rows(world)
    assert counted["chunks"] == counted["words"] == counted["vectors"]


@pytest.mark.both_engines
async def test_the_unchanged_parts_of_a_changed_text_are_still_found_by_meaning(
    world: World, shelf: Shelf
) -> None:
    kept = "# Kept\n\nautomobile\n"
    file = await shelf.write("a.md", f"{kept}\n{sections(2)}")
    await indexed(world)
    await shelf.write("later.md", "Something else entirely.")
    await indexed(world)
    assert "automobile" in (await contents(shelf.person, "car", shelf.project_id, parts=["dense"]))[0]

    assert (await shelf.replace(file["id"], f"{kept}\n{sections(5)}")).status_code == 200
    await indexed(world)
    assert "automobile" in (await contents(shelf.person, "car", shelf.project_id, parts=["dense"]))[0]


@pytest.mark.both_engines
async def test_a_file_deleted_or_replaced_while_it_is_embedded_leaves_nothing_behind(
    world: World, shelf: Shelf, fake: FakeEmbedder
) -> None:
    fake.open.clear()
    gone = await shelf.write("gone.md", sections(1, 2))
    changed = await shelf.write("changed.md", sections(3, 4))
    await indexed(world, meanings=False)
    assert await shelf.delete(gone["id"]) == 204
    assert (await shelf.replace(changed["id"], sections(5))).status_code == 200
    fake.open.set()
    await indexed(world)

    counted = await rows(world)
    assert counted["sources"] == 1
    assert counted["chunks"] == counted["words"] == counted["vectors"]
    assert await hits(shelf.person, "walrus1", shelf.project_id, parts=["lexical"]) == []
    assert await hits(shelf.person, "walrus5", shelf.project_id, parts=["lexical"])


@pytest.mark.both_engines
async def test_what_takes_the_place_of_something_deleted_elsewhere_is_not_found_there(
    world: World, shelf: Shelf
) -> None:
    other = await Shelf.of(shelf.person, "Other")
    await shelf.write("here.md", "Something else entirely.")
    await indexed(world)
    last = await shelf.write("last.md", "automobile")
    await indexed(world)
    await search(shelf.person, "car", shelf.project_id)

    assert await shelf.delete(last["id"]) == 204
    await other.write("there.md", "vehicle")
    await indexed(world)
    assert "vehicle" not in await contents(shelf.person, "car", shelf.project_id)
    assert "vehicle" in await contents(shelf.person, "car", other.project_id)


@pytest.mark.both_engines
async def test_a_word_that_was_looked_for_in_vain_is_found_as_soon_as_it_is_said(
    world: World, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tertulia.retrieval.word_frequencies.SMALL_INDEX_MAX_CHUNKS", 0)
    for number in range(8):
        await shelf.write(f"{number}.md", f"Walrus number {number} eats clams.")
    await indexed(world)
    assert await hits(shelf.person, "axolotl", shelf.project_id, parts=["lexical"]) == []

    await shelf.write("new.md", "An axolotl moved in.")
    await indexed(world)
    assert await hits(shelf.person, "axolotl", shelf.project_id, parts=["lexical"])


async def damage(world: World, sql: str) -> None:
    """Damage the database behind the server's back, as a bad disk would."""

    def write(tx: Tx) -> None:
        tx.run(sql)

    await world.db.write(write, by=None)


async def is_whole(world: World) -> bool:
    words = world.server.parts.search.indexes.words
    return await world.db.write(lambda tx: is_readable(tx, words), by=None)


async def test_damage_that_is_met_during_a_rebuild_asks_for_no_second_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage, rebuilds = world.server.parts.search.damage, 0

    async def rebuild(db: Database, words: FullTextIndex) -> int:
        nonlocal rebuilds
        rebuilds += 1
        damage.report(rebuilds_seen=damage.rebuilds)
        return await rebuild_full_text_index(db, words)

    async def is_rebuilt() -> bool:
        return damage.rebuilds > before

    monkeypatch.setattr("tertulia.retrieval.indexer.rebuild_full_text_index", rebuild)
    before = damage.rebuilds
    damage.report(rebuilds_seen=before)
    await until(is_rebuilt)
    # A search that began to read before the rebuild ends after it.
    damage.report(rebuilds_seen=before)
    for _ in range(3):
        assert await is_whole(world)
    assert rebuilds == 1


@pytest.mark.sqlite
@pytest.mark.parametrize("small", [2_000, 0])
async def test_a_damaged_index_of_words_is_rebuilt_while_meanings_are_searched(
    world: World, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    monkeypatch.setattr("tertulia.retrieval.word_frequencies.SMALL_INDEX_MAX_CHUNKS", small)
    for number in range(3):
        await shelf.write(f"{number}.md", f"Walrus number {number} eats clams.")
    await indexed(world)
    await damage(world, "DELETE FROM chunk_words_data WHERE id > 1")

    found = await search(shelf.person, "walrus clams", shelf.project_id)
    assert found["broken"] == ["words_broken"]
    assert len(found["hits"]) == 3

    async def mended() -> bool:
        return not (await search(shelf.person, "walrus clams", shelf.project_id))["broken"]

    await until(mended)
    await until(lambda: is_whole(world))
    assert len(await hits(shelf.person, "walrus clams", shelf.project_id, parts=["lexical"])) == 3


@pytest.mark.sqlite
async def test_a_rebuild_that_was_undone_with_another_write_is_done_again(
    world: World, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    async def rebuild(db: Database, words: FullTextIndex) -> None:
        tries.append(len(tries))
        if len(tries) == 1:
            raise StorageFailed("fts5: corruption found")
        await rebuild_full_text_index(db, words)

    monkeypatch.setattr("tertulia.retrieval.indexer.rebuild_full_text_index", rebuild)
    await shelf.write("old.md", "The walrus eats clams.")
    await indexed(world)
    await damage(world, "DELETE FROM chunk_words_data WHERE id > 1")
    await search(shelf.person, "walrus", shelf.project_id)
    await until(lambda: contents(shelf.person, "walrus clams", shelf.project_id, parts=["lexical"]))


@pytest.mark.sqlite
async def test_what_is_said_while_the_index_of_words_is_damaged_is_found_once_it_is_mended(
    world: World, shelf: Shelf
) -> None:
    old = await shelf.write("old.md", "The walrus eats clams.")
    await indexed(world)
    await damage(world, "DELETE FROM chunk_words_data WHERE id > 1")
    await shelf.write("new.md", "The zebra eats grass.")
    assert (await shelf.replace(old["id"], "The walrus eats fish.")).status_code == 200
    await search(shelf.person, "walrus", shelf.project_id)

    await until(lambda: contents(shelf.person, "zebra grass", shelf.project_id, parts=["lexical"]))
    await until(lambda: contents(shelf.person, "walrus fish", shelf.project_id, parts=["lexical"]))
    await until(lambda: is_whole(world))


@pytest.mark.sqlite
async def test_a_half_filled_index_of_words_is_completed_at_the_next_start(
    tmp_path: Path, provider: ScriptedProvider, fake: FakeEmbedder
) -> None:
    del fake
    async with World.open(tmp_path / "twice", provider=provider) as world:
        person = await world.person(role="owner")
        shelf = await Shelf.of(person)
        for number in range(5):
            await shelf.write(f"{number}.md", f"Walrus number {number}.")
        await indexed(world)
        await damage(world, "DELETE FROM chunk_words WHERE rowid IN (SELECT id FROM chunks LIMIT 3)")
        token = person.token
    async with World.open(tmp_path / "twice", provider=provider) as world:
        words = world.server.parts.search.indexes.words
        await until(lambda: world.db.read(lambda tx: has_all_chunks(tx, words), by=None))
        async with world.client(token) as client:
            again = Person(person.principal, token, client)
            assert len(await hits(again, "walrus", shelf.project_id, parts=["lexical"])) == 5


@pytest.mark.both_engines
async def test_a_text_that_could_not_be_written_for_a_while_is_indexed_later(
    world: World, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "REBUILD_RETRY_SECONDS", 0.01)
    write, failures = ChunkBatch.write, iter(range(INDEX_ATTEMPTS_MAX + 1))

    def fail_at_first(batch: ChunkBatch, tx: Tx, *, indexes: SearchIndexes) -> bool:
        if next(failures, None) is not None:
            raise StorageFailed("the database is away")
        return write(batch, tx, indexes=indexes)

    monkeypatch.setattr(ChunkBatch, "write", fail_at_first)
    await shelf.write("a.md", "The walrus eats clams.")
    await until(lambda: contents(shelf.person, "walrus clams", shelf.project_id, parts=["lexical"]))


@pytest.mark.both_engines
async def test_what_must_stay_here_is_never_sent_to_be_embedded(
    world: World, shelf: Shelf, fake: FakeEmbedder
) -> None:
    fake.is_local = False
    await shelf.write("open.md", "The otter sleeps on its back.")
    kept = await shelf.write("kept.md", "The marten sleeps in a hollow tree.", local_only=True)
    await indexed(world)

    assert any("otter" in text for text in fake.texts)
    assert not any("marten" in text for text in fake.texts)
    found = await hits(shelf.person, "marten hollow tree", shelf.project_id)
    assert found[0]["source_id"] == kept["id"]


@pytest.mark.sqlite
async def test_a_vector_of_another_length_is_ignored(world: World, shelf: Shelf) -> None:
    for path, content in (("a.md", "automobile"), ("b.md", "feline"), ("c.md", "something else entirely")):
        await shelf.write(path, content)
        await indexed(world)
    await damage(
        world,
        """UPDATE vectors SET body = x'0102' WHERE chunk =
           (SELECT c.id FROM chunks AS c WHERE c.content = 'automobile')""",
    )

    found = await search(shelf.person, "a car and a cat", shelf.project_id, parts=["dense"])
    assert [hit["content"] for hit in found["hits"]] == ["feline"]
    assert found["broken"] == []


@pytest.mark.both_engines
async def test_a_new_embedder_takes_over_once_it_has_read_everything(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = FakeEmbedder("fake/old"), FakeEmbedder("fake/new", dimensions=128)
    fake_embedder.use(monkeypatch, old, new)
    place = tmp_path / "moving"
    async with World.open(place, provider=provider, TERTULIA_EMBEDDER="fake/old") as world:
        person = await world.person(role="owner")
        shelf = await Shelf.of(person)
        await shelf.write("a.md", "automobile")
        await shelf.write("b.md", "something else entirely")
        await indexed(world)
    new.open.clear()
    async with (
        World.open(place, provider=provider, TERTULIA_EMBEDDER="fake/new") as world,
        world.client(person.token) as client,
    ):
        again = Person(person.principal, person.token, client)
        await until(lambda: embedder_in_service(again, "fake/old"))
        assert (await contents(again, "car", shelf.project_id, parts=["dense"]))[0] == "automobile"
        assert old.queries
        assert not new.queries

        new.open.set()
        await until(lambda: embedder_in_service(again, "fake/new"))
        assert (await contents(again, "car", shelf.project_id, parts=["dense"]))[0] == "automobile"
        assert new.queries == ["car"]
        await until(lambda: only_vectors_of(world, "fake/new"))


async def embedder_in_service(person: Person, name: str) -> bool:
    return (await person.get("/api/memory/debug/stats")).json()["embedder"] == name


async def only_vectors_of(world: World, name: str) -> bool:
    sql = "SELECT DISTINCT embedder FROM vectors"
    return await world.db.read(lambda tx: tx.column(sql), by=None) == [name]


@pytest.mark.sqlite
async def test_a_server_killed_while_it_indexes_finishes_after_its_next_start(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    (tmp_path / "data").mkdir()
    async with ServerProcess.running(tmp_path / "data", provider) as server:
        person = await server.person()
        shelf = await Shelf.of(person)
        for pause in (0.0, 0.1):
            for number in range(15):
                await shelf.write(f"{pause}/{number}.md", sections(number, number + 1))
            await asyncio.sleep(pause)
            server.kill()
            await server.start()

        async def ready() -> Json | None:
            told = (await person.get(f"/api/projects/{shelf.project_id}/index")).json()
            return told if told["ready"] == told["total"] == 30 else None

        told = await until(ready, seconds=30)
        assert told["failed"] == 0
        assert await hits(person, "walrus14", shelf.project_id)
        await person.client.aclose()
    found = apsw.Connection(str(server.database))
    counts = [
        found.execute(f"SELECT count(*) FROM {table}").fetchone()
        for table in ("chunks", "chunk_words_docsize")
    ]
    assert counts[0] == counts[1] == (told["chunks"],)
    found.execute("INSERT INTO chunk_words (chunk_words) VALUES ('integrity-check')")
