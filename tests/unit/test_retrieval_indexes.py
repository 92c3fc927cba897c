"""Both engines find the same: by words, by identifiers and by meaning, only where one looks."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.databases import Engine, open_database
from tests.fake_embedder import FakeEmbedder

from tertulia.core.clock import now
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.retrieval import sources, store
from tertulia.retrieval.chunking.message_chunks import chunk_message
from tertulia.retrieval.claims import claim_waiting
from tertulia.retrieval.full_text_rebuild import has_all_chunks, is_readable, rebuild_full_text_index
from tertulia.retrieval.indexes import SearchIndexes
from tertulia.retrieval.query_parser import parse_query
from tertulia.retrieval.search_scope import SearchScope
from tertulia.retrieval.sources import ALL_SOURCE_KINDS, QUOTABLE_KINDS, NewSource, SourceKind
from tertulia.retrieval.vector_index import QueryMeaning, VectorRow
from tertulia.retrieval.vectors import quantise_vector
from tertulia.search.factory import open_indexes

pytestmark = pytest.mark.both_engines

ADA = Principal("usr_ada", "wsp_1", Role.MEMBER)
BOB = Principal("usr_bob", "wsp_1", Role.MEMBER)
EVE = Principal("usr_eve", "wsp_2", Role.MEMBER)
FAKE = FakeEmbedder()


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "index.db")
    yield database
    database.close()


@pytest.fixture(autouse=True)
async def workspaces(db: Database) -> None:
    sql = "INSERT INTO workspaces (id, name, settings, created_at) VALUES (:id, 'Test', '{}', 0)"
    for name in ("wsp_1", "wsp_2"):
        await db.write(lambda tx, name=name: tx.run(sql, id=name), by=None)


class Shelf:
    """Texts in the indexes of a database, each one chunk."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.indexes: SearchIndexes = open_indexes(db)

    async def add(
        self,
        *texts: str,
        by: Principal = ADA,
        is_private: bool = False,
        kind: SourceKind = SourceKind.MESSAGE,
    ) -> None:
        """Index texts with their words and their meaning."""
        await self.indexes.vectors.prepare(self.db, FAKE.name, dimensions=FAKE.dimensions)
        for text in texts:
            queue = partial(self._queue, text=text, kind=kind, is_private=is_private)
            await self.db.write(queue, by=by)
            await self.db.write(partial(self._cut, kind=kind), by=None)

    def _queue(self, tx: Tx, text: str, *, kind: SourceKind, is_private: bool) -> None:
        owner = tx.by.user_id if is_private else None
        number = tx.value("SELECT count(*) FROM sources WHERE workspace_id = :workspace")
        source_id = f"{tx.by.workspace_id}_{number}"
        new = NewSource(kind, source_id, None, now(), path=text, owner_id=owner)
        sources.queue_source(tx, new)

    def _cut(self, tx: Tx, *, kind: SourceKind) -> None:
        """Cut the text that waits, which its path tells."""
        [source] = claim_waiting(tx, kind, worker="wrk_1", limit=9)
        text = source.path
        chunks = list(chunk_message(text, as_one_chunk=True))
        store.add_chunks(tx, replace(source, path=""), chunks, indexes=self.indexes)
        store.mark_chunked(tx, source, chunks=len(chunks))
        found = tx.column("SELECT id FROM chunks WHERE source = :source", source=source.id)
        row = VectorRow(source.bank, found[0], source.id, *quantise_vector(FAKE.vector(text)))
        self.indexes.vectors.add(tx, FAKE.name, [row])

    async def contents(self, chunks: Sequence[int]) -> list[str]:
        """Return the texts of chunks, in their order."""
        sql = "SELECT unpacked(content) FROM chunks WHERE id = :id"
        return await self.db.read(lambda tx: [tx.value(sql, id=chunk) for chunk in chunks], by=None)

    async def find(
        self,
        text: str,
        *,
        by: Principal = ADA,
        among: frozenset[int] | None = None,
        kinds: frozenset[SourceKind] = ALL_SOURCE_KINDS,
    ) -> list[str]:
        """Search by words."""
        query, scope = parse_query(text, today=now()), replace(scope_of(by, among), kinds=kinds)
        found = await self.db.read(lambda tx: self.indexes.words.search(tx, query, scope, limit=9), by=by)
        assert sorted(found.values(), reverse=True) == list(found.values())
        return await self.contents(list(found))

    async def find_identifier(self, text: str) -> list[str]:
        """Search by the identifiers of a query."""
        query, scope = parse_query(text, today=now()), scope_of(ADA, None)
        found = await self.db.read(
            lambda tx: self.indexes.words.search_identifiers(tx, query, scope, limit=9), by=ADA
        )
        return await self.contents(list(found))

    async def find_alike(
        self, text: str, *banks: str, among: frozenset[int] | None = None, limit: int = 9
    ) -> dict[str, float]:
        """Search by meaning."""
        found = await self.db.read(
            lambda tx: self.indexes.vectors.search(
                tx, meaning_of(text), banks or ["wsp_1"], among=among, limit=limit
            ),
            by=ADA,
        )
        return dict(zip(await self.contents(list(found)), found.values(), strict=True))

    async def source_of(self, text: str) -> int:
        sql = "SELECT source FROM chunks WHERE content = :text"
        return int(await self.db.read(lambda tx: tx.value(sql, text=text), by=None))


@pytest.fixture
def shelf(db: Database) -> Shelf:
    return Shelf(db)


def scope_of(by: Principal, among: frozenset[int] | None) -> SearchScope:
    return SearchScope(by.workspace_id, by.user_id, among=among)


def meaning_of(text: str) -> QueryMeaning:
    return QueryMeaning(FAKE.vector(text), FAKE.name)


async def test_rare_words_count_more_than_common_ones(shelf: Shelf) -> None:
    await shelf.add("The walrus eats clams.", *(f"The lamp burns {fuel}." for fuel in ("oil", "gas", "wax")))
    assert (await shelf.find("a walrus under the lamp"))[0] == "The walrus eats clams."
    assert len(await shelf.find("a walrus under the lamp")) == 4


async def test_a_word_said_often_in_a_short_text_counts_more(shelf: Shelf) -> None:
    long = "The walrus is large, and much else may be told of the sea, its ice and all that swims below it."
    await shelf.add(long, "Walrus, walrus, walrus!", "A walrus.", "The lamp.", "The door.", "The key.")
    assert await shelf.find("walrus") == ["Walrus, walrus, walrus!", "A walrus.", long]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Two tokens were counted.", "count the token"),
        ("Er wählte das Café.", "WAHLTE CAFE"),
        ("getUserName reads a row", "username user"),
        ("Прочитал письмо", "письмо"),
        ("The hash is 21e456b92bfadc", "21e456b92bfadc"),
    ],
)
async def test_words_are_found_in_other_forms(shelf: Shelf, said: str, asked: str) -> None:
    await shelf.add(said, "Something else entirely.")
    assert await shelf.find(asked) == [said]


async def test_identifiers_are_found_as_they_are_written(shelf: Shelf) -> None:
    await shelf.add("call parse_config here", "config is what they parse", "parse another config")
    assert (await shelf.find_identifier("where is parse_config used"))[0] == "call parse_config here"
    assert "config is what they parse" not in await shelf.find_identifier("where is parse_config used")


@pytest.mark.parametrize(
    "text", ["'", '"', "or", '" or "', "a & | ! b", "<->", "@oall", "%s :me", "NEAR(", "\\", "walrus:*"]
)
async def test_nothing_in_a_query_has_a_meaning_of_its_own(shelf: Shelf, text: str) -> None:
    await shelf.add("Quite another text.")
    await shelf.add("oall kmessage wwsp", by=EVE)
    assert await shelf.find(text) == []
    assert await shelf.find_identifier(f"`{text}`") == []


async def test_one_finds_only_what_one_may_see(shelf: Shelf) -> None:
    await shelf.add("Our walrus.")
    await shelf.add("My walrus.", is_private=True)
    await shelf.add("Their walrus.", by=EVE)
    assert sorted(await shelf.find("walrus")) == ["My walrus.", "Our walrus."]
    assert await shelf.find("walrus", by=BOB) == ["Our walrus."]
    assert await shelf.find("walrus", by=EVE) == ["Their walrus."]


async def test_filters_leave_only_their_sources(shelf: Shelf) -> None:
    await shelf.add("First walrus.", "Second walrus.", "Third walrus.")
    wanted = frozenset([await shelf.source_of("Second walrus.")])
    assert await shelf.find("walrus", among=wanted) == ["Second walrus."]
    assert await shelf.find("walrus", among=frozenset()) == []
    assert list(await shelf.find_alike("walrus", among=wanted)) == ["Second walrus."]


@pytest.mark.parametrize("wide", [False, True])
async def test_only_the_kinds_that_are_looked_for_are_found(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, wide: bool
) -> None:
    monkeypatch.setattr("tertulia.retrieval.word_frequencies.SMALL_INDEX_MAX_CHUNKS", 0 if wide else 99)
    for kind in SourceKind:
        await shelf.add(f"The walrus of a {kind}.", kind=kind)

    assert len(await shelf.find("walrus")) == len(SourceKind)
    assert sorted(await shelf.find("walrus", kinds=QUOTABLE_KINDS)) == [
        "The walrus of a file.",
        "The walrus of a message.",
    ]
    only = frozenset({SourceKind.SUMMARY})
    assert await shelf.find("walrus", kinds=only) == ["The walrus of a summary."]
    assert await shelf.find("walrus", kinds=frozenset()) == []
    assert list(await shelf.find_alike("walrus", "wsp_1/summary")) == ["The walrus of a summary."]
    assert len(await shelf.find_alike("walrus", "wsp_1")) == len(QUOTABLE_KINDS)


async def test_meanings_are_found_nearest_first_in_their_banks_alone(shelf: Shelf) -> None:
    await shelf.add("A car stops.", "A cat sleeps.")
    await shelf.add("The automobile stops.", by=EVE)
    found = await shelf.find_alike("A vehicle stops.")
    assert list(found) == ["A car stops.", "A cat sleeps."]
    assert found["A car stops."] == pytest.approx(1, abs=0.02)
    assert list(await shelf.find_alike("car", "wsp_1", "wsp_2", limit=2)) != list(found)


@pytest.mark.usefixtures("few_exact_vectors")
async def test_meanings_are_found_by_the_index_too(shelf: Shelf) -> None:
    await shelf.add(*(f"The {word} sleeps." for word in ("cat", "dog", "fox", "owl", "hen")))
    await shelf.add(*(f"A {word} swims." for word in ("carp", "pike", "eel")), is_private=True)
    assert next(iter(await shelf.find_alike("The fox sleeps."))) == "The fox sleeps."
    assert len(await shelf.find_alike("The fox sleeps.")) == 5
    assert len(await shelf.find_alike("The fox sleeps.", "wsp_1:usr_ada")) == 3
    wanted = frozenset([await shelf.source_of("The owl sleeps.")])
    assert list(await shelf.find_alike("The fox sleeps.", among=wanted)) == ["The owl sleeps."]


@pytest.fixture
def few_exact_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tertulia.retrieval.postgres.vector_search.EXACT_SEARCH_MAX_VECTORS", 0)


async def test_likeness_is_told_of_any_chunk_that_has_a_vector_of_the_embedder(shelf: Shelf) -> None:
    await shelf.add("A car stops.", "A cat sleeps.")
    chunks = await shelf.db.read(lambda tx: tx.column("SELECT id FROM chunks ORDER BY id"), by=None)

    async def compare(meaning: QueryMeaning) -> dict[int, float]:
        return await shelf.db.read(
            lambda tx: shelf.indexes.vectors.compute_similarities(tx, meaning, [*chunks, 99_999]), by=ADA
        )

    alike = await compare(meaning_of("An automobile stops."))
    assert sorted(alike) == chunks
    assert alike[chunks[0]] > alike[chunks[1]]
    exact = FAKE.vector("A car stops.") @ FAKE.vector("An automobile stops.")
    assert alike[chunks[0]] == pytest.approx(float(exact), abs=0.02)
    assert await compare(QueryMeaning(short_vector(), FAKE.name)) == {}
    assert await compare(QueryMeaning(FAKE.vector("car"), "another")) == {}


def short_vector() -> NDArray[np.float32]:
    return np.ones(3, dtype=np.float32)


async def test_vectors_of_another_length_are_passed_by(shelf: Shelf) -> None:
    await shelf.add("A car stops.")
    meaning = QueryMeaning(short_vector(), FAKE.name)
    found = await shelf.db.read(
        lambda tx: shelf.indexes.vectors.search(tx, meaning, ["wsp_1"], among=None, limit=9), by=ADA
    )
    assert found == {}


async def test_what_is_deleted_is_found_no_more(shelf: Shelf) -> None:
    await shelf.add("The walrus eats.", "The walrus sleeps.")
    source = await shelf.source_of("The walrus eats.")
    await shelf.db.write(lambda tx: tx.run("DELETE FROM sources WHERE id = :id", id=source), by=None)
    assert await shelf.find("walrus") == ["The walrus sleeps."]
    assert list(await shelf.find_alike("The walrus eats.")) == ["The walrus sleeps."]
    assert await shelf.db.read(lambda tx: has_all_chunks(tx, shelf.indexes.words), by=None)


async def test_an_index_that_lacks_chunks_is_made_whole(shelf: Shelf, db: Database) -> None:
    await shelf.add("The walrus eats.", "The walrus sleeps.")
    await db.write(lambda tx: tx.run("DELETE FROM chunk_words"), by=None)
    words = shelf.indexes.words
    assert not await db.read(lambda tx: has_all_chunks(tx, words), by=None)

    assert await rebuild_full_text_index(db, words) == 2
    assert await db.write(lambda tx: is_readable(tx, words), by=None)
    assert sorted(await shelf.find("walrus")) == ["The walrus eats.", "The walrus sleeps."]


async def test_vectors_that_came_from_another_database_are_found(
    shelf: Shelf, db: Database, engine: Engine
) -> None:
    await shelf.add("A car stops.", "A cat sleeps.")

    def forget(tx: Tx) -> None:
        tx.run("INSERT INTO serving_embedder VALUES (1, :name)", name=FAKE.name)
        if engine is Engine.POSTGRES:
            tx.run("UPDATE vectors SET meaning = NULL")

    await db.write(forget, by=None)
    await Shelf(db).indexes.vectors.complete(db)
    assert list(await shelf.find_alike("A vehicle stops.")) == ["A car stops.", "A cat sleeps."]


async def test_new_ids_are_nobody_elses(shelf: Shelf, db: Database) -> None:
    await shelf.add("The walrus eats.")
    known = await db.read(lambda tx: tx.column("SELECT id FROM chunks"), by=None)
    taken = await db.write(lambda tx: list(shelf.indexes.words.take_chunk_ids(tx, 5)), by=None)
    assert len({*taken, *known}) == 6
