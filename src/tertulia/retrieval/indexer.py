"""The work behind the index: texts are cut and found by their words at once, their meanings follow.

The table of sources is the list of what is to be done, so a crash loses
nothing: whatever was not finished is still waiting. A step that ran twice
leaves the same rows.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from time import monotonic

from tertulia.core.errors import NotFound, TertuliaError
from tertulia.core.principal import Principal, Role
from tertulia.embedding.domain import Embedder, EmbedderUnavailable
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.errors import (
    CommitUnknown,
    DatabaseBusy,
    DiskFull,
    StorageFailed,
    StorageReadOnly,
)
from tertulia.retrieval import claims, flags, store
from tertulia.retrieval.chunking.domain import Chunk
from tertulia.retrieval.chunking.file_chunks import chunk_file
from tertulia.retrieval.chunking.message_chunks import chunk_message
from tertulia.retrieval.chunking.point_chunks import chunk_points
from tertulia.retrieval.embedding_service import EmbeddingService
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.full_text_index import FullTextIndexDamaged
from tertulia.retrieval.full_text_rebuild import has_all_chunks, rebuild_full_text_index
from tertulia.retrieval.index_damage import IndexDamage
from tertulia.retrieval.indexes import SearchIndexes
from tertulia.retrieval.sources import IndexedSource, SourceKind, bank_name
from tertulia.retrieval.store import UnembeddedChunk
from tertulia.retrieval.vector_index import VectorRow
from tertulia.retrieval.vectors import quantise_vector
from tertulia.settings import Settings

log = logging.getLogger("tertulia.retrieval")

#: What is no fault of the text that was to be indexed: it goes on waiting.
DATABASE_FAILURES = (
    CommitUnknown,
    DatabaseBusy,
    DiskFull,
    FullTextIndexDamaged,
    StorageFailed,
    StorageReadOnly,
)
INDEXER_POLL_SECONDS = 0.3
REBUILD_RETRY_SECONDS = 1.0
#: After the embedder could not be had, it is asked again so much later.
EMBEDDER_RETRY_SECONDS = 15.0
#: Sources taken up together, and chunks written in one transaction.
INDEX_BATCH_SOURCES = 16
INDEX_BATCH_CHUNKS = 32
#: Chunks embedded between two looks at what is more urgent.
EMBED_BATCH_CHUNKS = 16
#: While models write, each piece of work is followed by a rest so many times as long.
BUSY_INDEX_PAUSE_FACTOR = 12
#: No rest is longer, in seconds: what took long by accident is no measure.
INDEX_PAUSE_MAX_SECONDS = 2.0
#: The vectors of a text with more chunks than this are made anew when it changes.
REUSED_VECTORS_MAX_CHUNKS = 5_000


@dataclass(frozen=True, slots=True)
class SourceText:
    """A source's text, in pieces of any size, and what kind of text it is."""

    pieces: Iterator[str]
    media: str = "text"
    #: What stands around it and helps to find it: for a reply, the question.
    context: str = ""
    #: Why some of it could not be had.
    problem: str = ""
    #: The lines on which pages, slides or sheets begin, the first line being 1: no chunk stands on two.
    page_lines: tuple[int, ...] = ()


ReadSource = Callable[[IndexedSource], Awaitable[SourceText]]


class Indexer:
    """Indexes what waits, in this process; others that do so beside it work on other texts."""

    def __init__(
        self,
        db: Database,
        settings: Settings,
        embeddings: EmbeddingService,
        *,
        indexes: SearchIndexes,
        readers: Mapping[SourceKind, ReadSource],
        worker: str,
        is_only_worker: bool = True,
        damage: IndexDamage,
        is_busy: Callable[[], bool],
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._db = db
        self._settings = settings
        self._embeddings = embeddings
        self._indexes = indexes
        self._readers = readers
        #: Whether somebody waits for models' words: then indexing gives way.
        self._is_busy = is_busy
        self._clock = clock
        self._sleep = sleep
        self._damage = damage
        self._is_checked = False
        #: Who this process is to others that index beside it, and whether there are none.
        self._worker = worker
        self._is_only_worker = is_only_worker

    async def run(self) -> None:
        """Work until cancelled."""
        if self._is_only_worker:
            await self._db.write(claims.release_all_claims, by=None)
        async with asyncio.TaskGroup() as group:
            # What was said, planned or is remembered never waits for a large file, nor for summaries.
            talk = (SourceKind.MEMORY, SourceKind.TASK, SourceKind.MESSAGE, SourceKind.SUMMARY)
            files = (SourceKind.FILE,)
            group.create_task(self._repeat(lambda: self._index_waiting(talk)))
            group.create_task(self._repeat(lambda: self._index_waiting(files)))
            group.create_task(self._repeat(self._embed_waiting))
            group.create_task(self._repeat(self._rebuild_when_damaged))
            group.create_task(self._repeat(self._renew_claims))

    async def _repeat(self, work: Callable[[], Awaitable[float]]) -> None:
        """Do a kind of work again and again; it says how long to wait before the next look."""
        while True:
            try:
                wait = await work()
            except Exception:
                log.exception("Indexing failed; it is tried again.")
                wait = EMBEDDER_RETRY_SECONDS
            await self._sleep(wait)

    async def _pause(self, started_at: float, *, idle_factor: int = 0) -> None:
        """Rest `idle_factor` times as long as the work since `started_at` took; longer while models write."""
        times = BUSY_INDEX_PAUSE_FACTOR if self._is_busy() else idle_factor
        await self._sleep(min(times * (self._clock() - started_at), INDEX_PAUSE_MAX_SECONDS))

    async def _renew_claims(self) -> float:
        """Keep what this process works on from others."""
        if not self._is_only_worker:
            await self._db.write(lambda tx: claims.renew_claims(tx, self._worker), by=None, concurrent=True)
        return claims.CLAIM_RENEWAL_SECONDS

    async def _rebuild_when_damaged(self) -> float:
        """Rebuild the index of words when it is damaged, which shows at the start or in a search."""
        if not self._is_checked:
            self._is_checked = True
            if not await self._db.read(lambda tx: has_all_chunks(tx, self._indexes.words), by=None):
                self._damage.report(rebuilds_seen=self._damage.rebuilds)
            await self._indexes.vectors.complete(self._db)
        await self._damage.is_reported.wait()
        log.warning("The index of words is not whole: it is made anew from the chunks.")
        try:
            await rebuild_full_text_index(self._db, self._indexes.words)
        except StorageFailed:
            # A write that met the damage may have shared its commit, and was undone with all others in it.
            return REBUILD_RETRY_SECONDS
        self._damage.note_rebuilt()
        return 0.0

    async def _index_waiting(self, kinds: Sequence[SourceKind]) -> float:
        """Cut the texts that wait, those of the first kind first, and have them found by their words."""
        kind = await self._db.read(
            lambda tx: claims.find_waiting_kind(tx, kinds, worker=self._worker), by=None
        )
        if kind is None:
            return INDEXER_POLL_SECONDS
        taken = await self._db.write(
            lambda tx: claims.claim_waiting(tx, kind, worker=self._worker, limit=INDEX_BATCH_SOURCES),
            by=None,
            concurrent=True,
        )
        for source in taken:
            await self._index_source(source)
        return 0.0

    async def _index_source(self, source: IndexedSource) -> None:
        began, rebuilds_seen = self._clock(), self._damage.rebuilds
        try:
            text = await self._readers[source.kind](source)
            await self._write_chunks(source, text, began)
        except DATABASE_FAILURES as error:
            log.warning("A text waits to be indexed: %s", error)
            if isinstance(error, FullTextIndexDamaged):
                self._damage.report(rebuilds_seen=rebuilds_seen)
            await self._sleep(REBUILD_RETRY_SECONDS)
        except NotFound:
            await self._db.write(lambda tx: store.delete_source(tx, source), by=None, concurrent=True)
        except TertuliaError as error:
            problem = error.message
            await self._db.write(lambda tx: store.mark_failed(tx, source, problem), by=None, concurrent=True)
        except Exception:
            log.exception("A text could not be indexed.")
            problem = "It could not be indexed: the server's log says why."
            await self._db.write(lambda tx: store.mark_failed(tx, source, problem), by=None, concurrent=True)

    async def _write_chunks(self, source: IndexedSource, text: SourceText, began: float) -> None:
        """Write the chunks of a text, whose reading `began` then, the first in the place of the earlier."""
        current = await self._db.read_inline(
            lambda tx: flags.read_flags(tx, self._settings, user_id=source.owner_id or ""),
            by=principal_for(source),
        )
        chunks = chunk_source(source, text, current)
        count = 0
        while True:
            # Also for a short text: the first to be cut has a vocabulary loaded.
            some = await asyncio.to_thread(lambda: list(islice(chunks, INDEX_BATCH_CHUNKS)))
            last, begin = len(some) < INDEX_BATCH_CHUNKS, count == 0
            count += len(some)
            step = ChunkBatch(
                source,
                some,
                worker=self._worker,
                is_first=begin,
                total_chunks=count if last else None,
                problem=text.problem,
            )
            is_current = await self._db.write(
                partial(step.write, indexes=self._indexes), by=None, concurrent=True
            )
            await self._pause(began, idle_factor=1)  # as long for others to think and to write
            began = self._clock()
            if last or not is_current:
                return

    async def _embed_waiting(self) -> float:
        """Give some chunks their vectors; once all have them, the wanted embedder serves."""
        wanted = self._embeddings.wanted
        if wanted is None:
            return EMBEDDER_RETRY_SECONDS
        if not self._embeddings.is_started:
            await self._embeddings.start(self._db)
        try:
            if await self._embed_some(wanted):
                return 0.0
        except EmbedderUnavailable as error:
            log.warning("Texts are found by their words alone for now: %s", error)
            return EMBEDDER_RETRY_SECONDS
        await self._finish_embedding(wanted)
        return INDEXER_POLL_SECONDS

    async def _embed_some(self, wanted: Embedder) -> bool:
        """Give some chunks that nobody else works on their vectors; False when there are none."""
        worker, local = self._worker, wanted.is_local

        def claim(tx: Tx) -> list[UnembeddedChunk]:
            taken = claims.claim_unembedded(tx, is_local=local, worker=worker, chunks=EMBED_BATCH_CHUNKS)
            chunks = store.list_unembedded(tx, wanted.name, taken, limit=EMBED_BATCH_CHUNKS)
            if not chunks:
                store.mark_embedded(tx, wanted.name, taken, is_local=local)
            return chunks

        if not await self._db.read(
            lambda tx: claims.has_unembedded(tx, is_local=local, worker=worker), by=None
        ):
            return False
        if chunks := await self._db.write(claim, by=None, concurrent=True):
            began = self._clock()
            await self._embed_chunks(wanted, chunks)
            await self._pause(began)
        return True

    async def _embed_chunks(self, wanted: Embedder, chunks: list[UnembeddedChunk]) -> None:
        """Write the vectors of chunks that were claimed, as far as they are still there and ours."""
        vectors = await wanted.embed([chunk.text for chunk in chunks])
        quantised = dict(zip(chunks, map(quantise_vector, vectors), strict=True))
        await self._indexes.vectors.prepare(self._db, wanted.name, dimensions=vectors.shape[1])

        def write(tx: Tx) -> None:
            held = claims.hold_claims(tx, {chunk.source for chunk in chunks}, worker=self._worker)
            unchanged = store.filter_unchanged(tx, [chunk for chunk in chunks if chunk.source in held])
            rows = [
                VectorRow(bank_of(chunk), chunk.id, chunk.source, scale, body)
                for chunk, (scale, body) in quantised.items()
                if chunk in unchanged
            ]
            self._indexes.vectors.add(tx, wanted.name, rows)
            store.mark_embedded(tx, wanted.name, list({chunk.source for chunk in unchanged}))

        await self._db.write(write, by=None, concurrent=True)

    async def _finish_embedding(self, wanted: Embedder) -> None:
        """Note which texts need no more vectors; once all have the wanted embedder's, let it serve."""
        local = wanted.is_local
        if await self._db.read(store.has_unmarked, by=None):
            await self._db.write(
                lambda tx: store.mark_rest_embedded(tx, wanted.name, is_local=local), by=None, concurrent=True
            )
        elif self._embeddings.serving is not wanted and await self._db.read(
            lambda tx: store.is_embedded_by(tx, wanted.name), by=None
        ):
            await self._embeddings.promote(self._db)


@dataclass(frozen=True, slots=True)
class ChunkBatch:
    """Some chunks of a text to be written in one transaction."""

    source: IndexedSource
    chunks: list[Chunk]
    worker: str
    is_first: bool
    #: How many chunks the text has in all, when these are its last.
    total_chunks: int | None
    problem: str

    def write(self, tx: Tx, *, indexes: SearchIndexes) -> bool:
        """Write them, unless the text has changed meanwhile, or is another's: then it waits, or is done."""
        if not store.hold_source(tx, self.source, worker=self.worker):
            return False
        kept = None
        if self.is_first:
            kept = (
                store.read_kept_vectors(tx, self.source)
                if self.source.chunk_count <= REUSED_VECTORS_MAX_CHUNKS
                else None
            )
            store.delete_chunks(tx, self.source)
        if self.chunks:
            store.add_chunks(tx, self.source, self.chunks, kept, indexes=indexes)
        if self.total_chunks is not None:
            store.mark_chunked(tx, self.source, chunks=self.total_chunks, problem=self.problem)
            if self.source.embedder and self.total_chunks <= REUSED_VECTORS_MAX_CHUNKS:
                store.mark_embedded(tx, self.source.embedder, [self.source.id])
        return True


def chunk_source(source: IndexedSource, text: SourceText, current_flags: Flags) -> Iterator[Chunk]:
    """Cut a text as its kind and the flags ask for."""
    if source.kind is SourceKind.MESSAGE:
        chunks = chunk_message("".join(text.pieces), as_one_chunk=not current_flags.chunking)
        return (replace(chunk, context=text.context) for chunk in chunks)
    if source.kind is SourceKind.SUMMARY:
        return chunk_points("".join(text.pieces))
    if source.kind is SourceKind.MEMORY:
        return iter(chunk_message("".join(text.pieces), as_one_chunk=True))
    if source.kind is SourceKind.TASK:
        return iter(chunk_message("".join(text.pieces)))
    return chunk_file(
        text.pieces,
        path=source.path,
        media=text.media,
        plain=not current_flags.structure,
        page_lines=text.page_lines,
    )


def principal_for(source: IndexedSource) -> Principal:
    """Return on whose behalf a source is read."""
    return Principal(source.owner_id or "", source.workspace_id, Role.MEMBER)


def bank_of(chunk: UnembeddedChunk) -> str:
    """Return the bank that a chunk's vector belongs to."""
    return bank_name(
        workspace_id=chunk.workspace_id,
        project_id=chunk.project_id,
        owner_id=chunk.owner_id,
        kind=chunk.kind,
    )
