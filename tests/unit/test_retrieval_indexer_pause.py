"""Indexing gives way to models that write."""

from itertools import count
from pathlib import Path

from tests.databases import open_database
from tests.world import add_person

from tertulia.core.clock import now
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database
from tertulia.retrieval import sources
from tertulia.retrieval.embedding_service import EmbeddingService
from tertulia.retrieval.index_damage import IndexDamage
from tertulia.retrieval.indexer import Indexer, SourceText
from tertulia.retrieval.sources import IndexedSource, NewSource, SourceKind
from tertulia.search.factory import open_indexes
from tertulia.settings import Settings

MANY = 40


async def seconds_to_index(data_dir: Path, *, busy: bool) -> float:
    """Return how long many texts take, by a clock that only reading and resting move."""
    db, passed = open_database(data_dir / f"{busy}.db"), 0.0

    async def spend(seconds: float) -> None:
        nonlocal passed
        passed += seconds

    async def reader(_: IndexedSource) -> SourceText:
        await spend(0.01)
        return SourceText(iter(["A lamp that turns."]))

    principal, _ = await add_person(db, role=Role.OWNER, workspace=None, email="i@example.org")
    await queue_many(db, principal)
    indexes = open_indexes(db)
    indexer = Indexer(
        db,
        Settings(data_dir=data_dir),
        EmbeddingService(None, make=lambda _: None, vectors=indexes.vectors),
        indexes=indexes,
        readers={SourceKind.MESSAGE: reader},
        damage=IndexDamage(),
        worker="wrk_1",
        is_busy=lambda: busy,
        clock=lambda: passed,
        sleep=spend,
    )
    while await indexer._index_waiting([SourceKind.MESSAGE]) == 0.0:
        pass
    db.close()
    return passed


async def queue_many(db: Database, principal: Principal) -> None:
    for number in range(MANY):
        source = NewSource(SourceKind.MESSAGE, f"msg_{number}", None, now(), owner_id=principal.user_id)
        await db.write(lambda tx, source=source: sources.queue_source(tx, source), by=principal)


async def test_while_models_write_indexing_takes_a_small_share_of_the_time(tmp_path: Path) -> None:
    at_rest = await seconds_to_index(tmp_path, busy=False)
    meanwhile = await seconds_to_index(tmp_path, busy=True)

    assert meanwhile > 5 * at_rest
    assert meanwhile > 10 * MANY * 0.01


async def test_between_two_parts_of_a_long_text_others_have_as_long(tmp_path: Path) -> None:
    db, rests, ticks = open_database(tmp_path / "long.db"), list[float](), count()
    principal, _ = await add_person(db, role=Role.OWNER, workspace=None, email="i@example.org")
    source = NewSource(SourceKind.MESSAGE, "msg_long", None, now(), owner_id=principal.user_id)
    await db.write(lambda tx: sources.queue_source(tx, source), by=principal)

    async def reader(_: IndexedSource) -> SourceText:
        return SourceText(iter(["A lamp that turns upon a bath of mercury.\n\n" * 8_000]))

    async def rest(seconds: float) -> None:
        rests.append(seconds)

    indexes = open_indexes(db)
    indexer = Indexer(
        db,
        Settings(data_dir=tmp_path),
        EmbeddingService(None, make=lambda _: None, vectors=indexes.vectors),
        indexes=indexes,
        readers={SourceKind.MESSAGE: reader},
        damage=IndexDamage(),
        worker="wrk_1",
        is_busy=lambda: False,
        # Every look at this clock is half a second after the one before: each part takes that long.
        clock=lambda: next(ticks) / 2,
        sleep=rest,
    )
    await indexer._index_waiting([SourceKind.MESSAGE])
    db.close()

    assert len(rests) > 3
    assert set(rests) == {0.5}
