"""The work behind the index: texts are cut and found by their words at once, their meanings follow.

The table of sources is the list of what is to be done, so a crash loses
nothing: whatever was not finished is still waiting. A step that ran twice
leaves the same rows.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from time import monotonic

from tertulia.core.errors import NotFound, TertuliaError
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.models.embedding.domain import Embedder, EmbedderUnavailable
from tertulia.retrieval import flags, store
from tertulia.retrieval.banks import Row, bank_name
from tertulia.retrieval.chunking.domain import Chunk
from tertulia.retrieval.chunking.files import chunk_file
from tertulia.retrieval.chunking.messages import chunk_message
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.meanings import Meanings
from tertulia.retrieval.repair import agrees, repair
from tertulia.retrieval.sources import SourceKind
from tertulia.retrieval.store import Source, Unembedded
from tertulia.retrieval.vectors import to_bytes
from tertulia.settings import Settings

log = logging.getLogger("tertulia.retrieval")

LOOK_SECONDS = 0.3
#: After the embedder could not be had, it is asked again so much later.
EMBEDDER_SECONDS = 15.0
#: Sources taken up together, and chunks written in one transaction.
TAKEN = 16
WRITTEN = 32
#: Chunks embedded between two looks at what is more urgent.
EMBEDDED = 16
#: While models write, each piece of work is followed by a rest so many times as long.
REST = 12
#: No rest is longer, in seconds: what took long by accident is no measure.
LONGEST_REST = 2.0
#: The vectors of a text with more chunks than this are made anew when it changes.
REUSED = 5_000


@dataclass(frozen=True, slots=True)
class Text:
    """A source's text, in pieces of any size, and what kind of text it is."""

    pieces: Iterator[str]
    media: str = "text"
    #: What stands around it and helps to find it: for a reply, the question.
    context: str = ""
    #: Why some of it could not be had.
    problem: str = ""


Reader = Callable[[Source], Awaitable[Text]]


class Indexer:
    """Indexes what waits, in this process; two of them do no harm to each other."""

    def __init__(
        self,
        db: Database,
        settings: Settings,
        meanings: Meanings,
        *,
        readers: Mapping[SourceKind, Reader],
        is_busy: Callable[[], bool],
    ) -> None:
        self._db = db
        self._settings = settings
        self._meanings = meanings
        self._readers = readers
        #: Whether somebody waits for models' words: then indexing gives way.
        self._is_busy = is_busy
        self._damaged = asyncio.Event()
        self._looked = False

    def note_damage(self) -> None:
        """Have the index of words rebuilt."""
        self._damaged.set()

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            # What was said never waits for a large file.
            group.create_task(self._forever(lambda: self._cut_some(SourceKind.MESSAGE)))
            group.create_task(self._forever(lambda: self._cut_some(SourceKind.FILE)))
            group.create_task(self._forever(self._embed_some))
            group.create_task(self._forever(self._mend))

    async def _forever(self, work: Callable[[], Awaitable[float]]) -> None:
        """Do a kind of work again and again; it says how long to wait before the next look."""
        while True:
            try:
                wait = await work()
            except Exception:
                log.exception("Indexing failed in a way nobody foresaw; it is tried again.")
                wait = EMBEDDER_SECONDS
            await asyncio.sleep(wait)

    async def _give_way(self, since: float, *, idle: int = 0) -> None:
        """Rest after a piece of work that began at `since`: `idle` times as long, more while models write."""
        times = REST if self._is_busy() else idle
        await asyncio.sleep(min(times * (monotonic() - since), LONGEST_REST))

    async def _mend(self) -> float:
        """Rebuild the index of words when it is damaged, which shows at the start or in a search."""
        if not self._looked:
            self._looked = True
            if not await self._db.read(agrees, by=None):
                self.note_damage()
        await self._damaged.wait()
        self._damaged.clear()
        log.warning("The index of words is damaged: it is rebuilt from the chunks.")
        await repair(self._db)
        return 0.0

    async def _cut_some(self, kind: SourceKind) -> float:
        """Cut the texts that wait, and have them found by their words."""
        taken = await self._db.read(lambda tx: store.waiting(tx, kind, limit=TAKEN), by=None)
        for source in taken:
            await self._index(source)
        return 0.0 if taken else LOOK_SECONDS

    async def _index(self, source: Source) -> None:
        began = monotonic()
        try:
            text = await self._readers[source.kind](source)
            await self._write(source, text, began)
        except NotFound:
            await self._db.write(lambda tx: store.drop(tx, source), by=None)
        except TertuliaError as error:
            problem = error.message
            await self._db.write(lambda tx: store.fail(tx, source, problem), by=None)
        except Exception:
            log.exception("A text could not be indexed.")
            problem = "It could not be indexed: the server's log says why."
            await self._db.write(lambda tx: store.fail(tx, source, problem), by=None)

    async def _write(self, source: Source, text: Text, began: float) -> None:
        """Write the chunks of a text, whose reading `began` then, the first in the place of the earlier."""
        current = await self._db.read(lambda tx: flags.current(tx, self._settings), by=acting(source))
        chunks = cut(source, text, current)
        count = 0
        while True:
            some = await asyncio.to_thread(lambda: list(islice(chunks, WRITTEN)))
            last, begin = len(some) < WRITTEN, count == 0
            count += len(some)
            step = Step(source, some, begin=begin, end=count if last else None, problem=text.problem)
            kept = await self._db.write(step.do, by=None)
            await self._give_way(began, idle=1)  # as long for others to think and to write
            began = monotonic()
            if kept:
                self._meanings.note_kept(source.embedder, source.bank, kept)
            if kept is None or last:
                return

    async def _embed_some(self) -> float:
        """Give some chunks their vectors; once all have them, the wanted embedder serves."""
        wanted = self._meanings.wanted
        if wanted is None:
            return EMBEDDER_SECONDS
        if not self._meanings.is_started:
            await self._meanings.start(self._db)
        local = wanted.is_local
        some = await self._db.read(
            lambda tx: store.unembedded(tx, wanted.name, local=local, limit=EMBEDDED), by=None
        )
        try:
            if some:
                began = monotonic()
                await self._embed(wanted, some)
                await self._give_way(began)
                return 0.0
        except EmbedderUnavailable as error:
            log.warning("Texts are found by their words alone for now: %s", error.message)
            return EMBEDDER_SECONDS
        if not await self._db.write(lambda tx: store.settle_rest(tx, wanted.name, local=local), by=None):
            await self._meanings.promote(self._db)
        return LOOK_SECONDS

    async def _embed(self, wanted: Embedder, some: list[Unembedded]) -> None:
        vectors = await wanted.embed([one.text for one in some])
        rows = [
            (bank_of(one), Row(one.id, one.source, body), scale)
            for one, (scale, body) in zip(some, map(to_bytes, vectors), strict=True)
        ]
        banks = self._meanings.serving.banks if self._meanings.serving else None

        def write(tx: Tx) -> None:
            store.add_vectors(tx, [(wanted.name, bank, row, scale) for bank, row, scale in rows])
            store.settle(tx, wanted.name, list({one.source for one in some}))

        await self._db.write(write, by=None)
        if banks is not None and banks.embedder == wanted.name:
            for bank, row, _ in rows:
                banks.add(bank, [row])


@dataclass(frozen=True, slots=True)
class Step:
    """Some chunks of a text to be written in one transaction."""

    source: Source
    chunks: list[Chunk]
    begin: bool
    #: How many chunks the text has in all, when these are its last.
    end: int | None
    problem: str

    def do(self, tx: Tx) -> list[Row] | None:
        """Write them and return the vectors that were kept; None when the text has changed meanwhile.

        Then the newer one waits already.
        """
        if not store.is_current(tx, self.source):
            return None
        kept = None
        if self.begin:
            kept = store.kept_vectors(tx, self.source) if self.source.chunk_count <= REUSED else None
            store.clear(tx, self.source)
        rows = store.add_chunks(tx, self.source, self.chunks, kept) if self.chunks else []
        if self.end is not None:
            store.finish(tx, self.source, chunks=self.end, problem=self.problem)
            if self.source.embedder and self.end <= REUSED:
                store.settle(tx, self.source.embedder, [self.source.id])
        return rows


def cut(source: Source, text: Text, current: Flags) -> Iterator[Chunk]:
    """Cut a text as its kind and the flags ask for."""
    if source.kind is SourceKind.MESSAGE:
        chunks = chunk_message("".join(text.pieces), whole=not current.chunking)
        return (replace(chunk, context=text.context) for chunk in chunks)
    return chunk_file(text.pieces, path=source.path, media=text.media, plain=not current.structure)


def acting(source: Source) -> Principal:
    """Return on whose behalf a source is read."""
    return Principal(source.owner_id or "", source.workspace_id, Role.MEMBER)


def bank_of(one: Unembedded) -> str:
    """Return the bank that a chunk's vector belongs to."""
    return bank_name(workspace_id=one.workspace_id, project_id=one.project_id, owner_id=one.owner_id)
