"""Several processes index beside each other: each text is one's at a time, and nobody waits for the dead."""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.databases import open_database

from tertulia.core.clock import now
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.retrieval import claims, sources, store
from tertulia.retrieval.chunking.domain import Chunk
from tertulia.retrieval.chunking.message_chunks import chunk_message
from tertulia.retrieval.claims import CLAIM_LEASE
from tertulia.retrieval.indexer import ChunkBatch
from tertulia.retrieval.sources import IndexedSource, NewSource, SourceKind
from tertulia.search.factory import open_indexes

ADA = Principal("usr_ada", "wsp_1", Role.MEMBER)
EMBEDDER = "toy"


pytestmark = pytest.mark.both_engines


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "index.db")
    yield database
    database.close()


@pytest.fixture(autouse=True)
async def workspace(db: Database) -> None:
    sql = "INSERT INTO workspaces (id, name, settings, created_at) VALUES ('wsp_1', 'Test', '{}', 0)"
    await db.write(lambda tx: tx.run(sql), by=None)


async def queue(db: Database, *ids: str) -> None:
    """Have messages indexed."""

    def write(tx: Tx) -> None:
        for source_id in ids:
            sources.queue_source(tx, NewSource(SourceKind.MESSAGE, source_id, None, now()))

    await db.write(write, by=ADA)


async def claim(db: Database, worker: str, *, limit: int = 16) -> list[IndexedSource]:
    return await db.write(
        lambda tx: claims.claim_waiting(tx, SourceKind.MESSAGE, worker=worker, limit=limit), by=None
    )


async def claim_ids(db: Database, worker: str, *, limit: int = 16) -> list[str]:
    return [source.source_id for source in await claim(db, worker, limit=limit)]


async def cut(db: Database, source: IndexedSource, worker: str, text: str = "The lamp is red.") -> bool:
    """Write the chunks of a text, and tell whether they were."""
    chunks: list[Chunk] = list(chunk_message(text, as_one_chunk=True))
    batch = ChunkBatch(source, chunks, worker, is_first=True, total_chunks=len(chunks), problem="")
    return await db.write(lambda tx: batch.write(tx, indexes=open_indexes(db)), by=None)


def pass_time(monkeypatch: pytest.MonkeyPatch, by: timedelta) -> None:
    """Let the clock of leases go on."""
    before = Tx.uptime
    monkeypatch.setattr(Tx, "uptime", lambda tx: before(tx) + by)


async def test_two_processes_take_different_texts(db: Database) -> None:
    await queue(db, "msg_1", "msg_2", "msg_3")
    assert await claim_ids(db, "wrk_1", limit=2) == ["msg_3", "msg_2"]
    assert await claim_ids(db, "wrk_2") == ["msg_1"]
    assert await claim_ids(db, "wrk_3") == []
    left = await db.read(lambda tx: claims.find_waiting_kind(tx, list(SourceKind), worker="wrk_3"), by=None)
    assert left is None


async def test_what_a_silent_process_had_is_taken_over_and_it_writes_nothing_more(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await queue(db, "msg_1")
    [source] = await claim(db, "wrk_1")
    pass_time(monkeypatch, CLAIM_LEASE + timedelta(seconds=1))
    assert await claim_ids(db, "wrk_2") == ["msg_1"]

    assert not await cut(db, source, "wrk_1", "Written too late.")
    assert await cut(db, source, "wrk_2", "Written in time.")
    assert await db.read(lambda tx: tx.column("SELECT content FROM chunks"), by=None) == ["Written in time."]


async def test_a_claim_that_is_renewed_is_kept(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await queue(db, "msg_1")
    [source] = await claim(db, "wrk_1")
    for _ in range(3):
        pass_time(monkeypatch, CLAIM_LEASE * 0.6)
        await db.write(lambda tx: claims.renew_claims(tx, "wrk_1"), by=None)
        assert await claim_ids(db, "wrk_2") == []
    assert await cut(db, source, "wrk_1")


async def test_a_text_that_has_changed_is_free_at_once(db: Database) -> None:
    await queue(db, "msg_1")
    [earlier] = await claim(db, "wrk_1")
    await queue(db, "msg_1")
    assert await claim_ids(db, "wrk_2") == ["msg_1"]
    assert not await cut(db, earlier, "wrk_1")


async def test_what_failed_is_tried_again_by_anybody(db: Database) -> None:
    await queue(db, "msg_1")
    [source] = await claim(db, "wrk_1")
    await db.write(lambda tx: store.mark_failed(tx, source, "odd"), by=None)
    assert await claim_ids(db, "wrk_2") == ["msg_1"]


async def test_a_process_takes_up_again_what_it_left_behind(db: Database) -> None:
    await queue(db, "msg_1")
    await claim(db, "wrk_1")
    assert await claim_ids(db, "wrk_1") == ["msg_1"]


async def test_claims_from_before_the_machine_was_started_hold_nobody_up(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await queue(db, "msg_1")
    await claim(db, "wrk_1")
    pass_time(monkeypatch, -timedelta(days=1))
    assert await claim_ids(db, "wrk_2") == ["msg_1"]


async def test_the_only_process_frees_what_an_earlier_one_had(db: Database) -> None:
    await queue(db, "msg_1")
    await claim(db, "wrk_1")
    await db.write(claims.release_all_claims, by=None)
    assert await claim_ids(db, "wrk_2") == ["msg_1"]


async def test_two_processes_embed_different_texts_and_no_more_than_asked_for(db: Database) -> None:
    await queue(db, *(f"msg_{number}" for number in range(6)))
    for source in await claim(db, "wrk_1"):
        assert await cut(db, source, "wrk_1")

    async def take(worker: str) -> list[int]:
        return await db.write(
            lambda tx: claims.claim_unembedded(tx, is_local=True, worker=worker, chunks=4), by=None
        )

    first, second = await take("wrk_1"), await take("wrk_2")
    assert (len(first), len(second)) == (4, 2)
    assert not {*first} & {*second}
    assert await db.write(lambda tx: claims.hold_claims(tx, first, worker="wrk_2"), by=None) == frozenset()

    await db.write(lambda tx: store.mark_embedded(tx, EMBEDDER, first, is_local=True), by=None)
    assert sorted(await take("wrk_1")) == sorted(first), "without vectors they are not done"
