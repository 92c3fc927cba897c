"""A project with as many chunks as wanted, three of four in files, written by the index's own functions.

The vectors are made up: unit vectors around centres, as alike as those of real
texts, because embedding a million texts takes hours.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.retrieval_text import Writer
from bench.seeding import Seeded, seed_person
from tertulia.conversations import store as conversations
from tertulia.conversations.domain import Anchor
from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal
from tertulia.embedding.weights import EMBEDDER_NAME as EMBEDDER
from tertulia.infra.db import Tx
from tertulia.infra.db.sqlite.database import SqliteDatabase
from tertulia.projects import store as projects
from tertulia.retrieval import sources, store
from tertulia.retrieval.chunking.domain import Chunk, ChunkKind
from tertulia.retrieval.indexes import SearchIndexes
from tertulia.retrieval.sources import IndexedSource, NewSource, SourceKind
from tertulia.retrieval.vector_index import VectorRow
from tertulia.retrieval.vectors import quantise_vector
from tertulia.search.factory import open_indexes

DIMENSIONS = 384
CENTRES = 2_000
#: How far vectors lie from their centre: two of one centre are about 0.5 alike.
SPREAD = 1.0
BLOCK = 2_000
PER_FILE = 50
PER_CONVERSATION = 20
#: The share of chunks that are messages.
TALK = 0.25


@dataclass(slots=True)
class Vectors:
    """Draws unit vectors that lie in clusters."""

    rng: np.random.Generator
    centres: NDArray[np.float32] = field(init=False)

    def __post_init__(self) -> None:
        self.centres = unit(self.rng.standard_normal((CENTRES, DIMENSIONS), dtype=np.float32))

    def draw(self, count: int) -> NDArray[np.float32]:
        """Return some vectors, a row each."""
        centre = self.centres[self.rng.integers(0, CENTRES, count)]
        noise = self.rng.standard_normal((count, DIMENSIONS), dtype=np.float32) / np.sqrt(DIMENSIONS)
        return unit(centre + SPREAD * noise)


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors at length one."""
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Who owns it, and which project it is in."""

    seeded: Seeded
    project_id: str


def seed_corpus(data_dir: Path, chunks: int, say: Callable[[str], None]) -> Corpus:
    """Make a data directory whose one project has so many chunks, all indexed."""
    data_dir.mkdir(exist_ok=True)
    return asyncio.run(write_corpus(data_dir, chunks, say))


async def write_corpus(data_dir: Path, chunks: int, say: Callable[[str], None]) -> Corpus:
    """Write block after block, each in one transaction."""
    seeded = await seed_person(data_dir)
    writer, vectors = Writer.seeded(1), Vectors(np.random.default_rng(2))
    db = SqliteDatabase(data_dir / "tertulia.db")
    try:
        project_id = await db.write(lambda tx: projects.add(tx, "Bench"), by=seeded.principal)
        for done in range(0, chunks, BLOCK):
            say(f"retrieval: writing {chunks:,} chunks, {done:,} done")
            block = Block(
                seeded.principal, project_id, min(BLOCK, chunks - done), writer, vectors, open_indexes(db)
            )
            await db.write(block.write, by=None)
    finally:
        db.close()
    return Corpus(seeded, project_id)


@dataclass(frozen=True, slots=True)
class Block:
    """Some chunks of files and of talk, written together."""

    owner: Principal
    project_id: str
    chunks: int
    writer: Writer
    vectors: Vectors
    indexes: SearchIndexes

    def write(self, tx: Tx) -> None:
        """Write them as the indexer leaves them."""
        owned = tx.acting_for(self.owner)
        texts = list(self.files(owned)) + list(self.talk(owned))
        for source, parts in texts:
            store.add_chunks(tx, source, parts, indexes=self.indexes)
            store.mark_chunked(tx, source, chunks=len(parts))
        self.embed(tx, [source for source, _ in texts])

    def files(self, tx: Tx) -> Iterator[tuple[IndexedSource, list[Chunk]]]:
        """Add files of fifty chunks each."""
        for _ in range(int(self.chunks * (1 - TALK)) // PER_FILE):
            file_id = new_id("fil")
            path = f"src/part{file_id[-4:-2]}/{file_id[-8:].lower()}.py"
            new = NewSource(SourceKind.FILE, file_id, self.project_id, now(), path=path)
            yield queued(tx, new), [chunk(*part) for part in enumerate(self.writer.texts(PER_FILE))]

    def talk(self, tx: Tx) -> Iterator[tuple[IndexedSource, list[Chunk]]]:
        """Add private conversations of twenty messages each."""
        for _ in range(int(self.chunks * TALK) // PER_CONVERSATION):
            talk = conversations.add(tx, project_id=self.project_id, anchor=Anchor.WORKSPACE, title="A talk")
            for number, text in enumerate(self.writer.texts(PER_CONVERSATION)):
                new = NewSource(
                    SourceKind.MESSAGE,
                    new_id("msg"),
                    self.project_id,
                    now() - timedelta(hours=number),
                    conversation_id=talk.id,
                    owner_id=tx.by.user_id,
                    speaker="user" if number % 2 == 0 else "agent:openai/scripted",
                    round_id=new_id("rnd"),
                    round_number=number // 2 + 1,
                )
                yield queued(tx, new), [chunk(0, text)]

    def embed(self, tx: Tx, written: list[IndexedSource]) -> None:
        """Give every chunk a vector."""
        banks = {source.id: source.bank for source in written}
        lacking = tx.all(
            Lacking, "SELECT id, source FROM chunks WHERE source >= :first ORDER BY id", first=min(banks)
        )
        drawn = self.vectors.draw(len(lacking))
        rows = [
            VectorRow(banks[one.source], one.id, one.source, scale, body)
            for one, (scale, body) in zip(lacking, map(quantise_vector, drawn), strict=True)
        ]
        self.indexes.vectors.add(tx, EMBEDDER, rows)
        store.mark_embedded(tx, EMBEDDER, list(banks))


@dataclass(frozen=True, slots=True)
class Lacking:
    """A chunk that has no vector."""

    id: int
    source: int


def queued(tx: Tx, new: NewSource) -> IndexedSource:
    """Add a text, and return it."""
    sources.queue_source(tx, new)
    sql = "SELECT * FROM sources WHERE kind = :kind AND source_id = :id AND workspace_id = :workspace"
    found = tx.one(IndexedSource, sql, kind=new.kind, id=new.source_id)
    assert found is not None
    return found


def chunk(number: int, text: str) -> Chunk:
    """Return a text as one chunk."""
    return Chunk(
        index=number,
        kind=ChunkKind.CODE if "_" in text else ChunkKind.PROSE,
        language="",
        start_line=1 + 20 * number,
        end_line=20 + 20 * number,
        start_char=1000 * number,
        end_char=1000 * number + len(text),
        content=text,
        context="",
        tokens=160,
        summary=text[:80],
    )
