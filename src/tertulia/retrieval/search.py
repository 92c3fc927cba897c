"""The path of a query: read it, look by words and by meaning at once, weigh what was found, pick the best."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.retrieval import candidates, dense, flags, lexical, metrics
from tertulia.retrieval.banks import bank_name
from tertulia.retrieval.filters import Filters
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.fuse import Scored, order, pick
from tertulia.retrieval.lexical import CommonWords, Found, Reach, WordsBroken
from tertulia.retrieval.meanings import Meanings, Serving
from tertulia.retrieval.question import Question, read_question
from tertulia.retrieval.signals import Pool, promising, weigh
from tertulia.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger("tertulia.retrieval")
T = TypeVar("T")

#: How many chunks each way of looking brings.
DEPTH = 60
#: How many of what was found are looked at closely.
WEIGHED = 60
#: And how many of what was said around them.
MOST_AROUND = 20
#: Fewer hits than this and one looks further afield.
FEW = 3
LONGEST_QUERY = 4_000
#: What a long text is about is said in its first sentences; reading all of it would take as long as the rest.
LONGEST_MEANT = 320


class Part(StrEnum):
    """A part of retrieval that can be left out."""

    LEXICAL = "lexical"
    DENSE = "dense"
    IDENTIFIERS = "identifiers"
    RERANK = "rerank"


ALL_PARTS = frozenset(Part)


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for, and where."""

    text: str
    project_id: str | None = None
    #: The conversation at hand: what was said in it counts more.
    conversation_id: str | None = None
    #: Look only in that conversation.
    only_here: bool = False
    #: Look in the whole workspace when the project has little.
    widen: bool = False
    filters: Filters = field(default_factory=Filters)
    limit: int = 10
    parts: frozenset[Part] = ALL_PARTS
    #: How many seconds to wait for the query's meaning; it is then answered by words alone.
    patience: float = 2.5
    #: Flags to try instead of those that hold.
    flags: Flags | None = None
    purpose: str = "search"


@dataclass(slots=True)
class Timing:
    """How long each step took, in milliseconds."""

    total: float = 0.0
    dense: float = 0.0
    lexical: float = 0.0
    rerank: float = 0.0


@dataclass(frozen=True, slots=True)
class Result:
    """What was found, and how it went."""

    hits: list[Scored]
    flags: Flags
    timing: Timing
    #: How many chunks each way of looking brought.
    found_lexical: int = 0
    found_dense: int = 0
    #: What did not work, by code: the rest went on.
    broken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Catch:
    """What each way of looking brought: chunks and how well they matched."""

    words: dict[int, float]
    meaning: dict[int, float]
    #: The query's own meaning, where there is an embedder.
    vector: "NDArray[np.float32] | None" = None
    serving: Serving | None = None


@dataclass(slots=True)
class Looking:
    """One query under way."""

    query: Query
    question: Question
    flags: Flags
    #: As whom it is looked.
    by: Principal
    timing: Timing = field(default_factory=Timing)
    broken: list[str] = field(default_factory=list[str])


class Search:
    """Finds what is useful, whatever of it is switched off or broken."""

    def __init__(self, db: Database, settings: Settings, meanings: Meanings) -> None:
        self._db = db
        self._settings = settings
        self._meanings = meanings
        self._common = CommonWords()
        self._writing: set[asyncio.Task[None]] = set()
        #: Called when the index of words turns out to be damaged.
        self.on_damage: Callable[[], None] = lambda: None

    async def find(self, query: Query, *, by: Principal, audience: Principal | None = None) -> Result:
        """Return the best passages for a query that its audience may see: the caller, if nobody else."""
        began = perf_counter()
        current = query.flags or await self._db.glance(lambda tx: flags.current(tx, self._settings), by=by)
        text = query.text[:LONGEST_QUERY]
        looking = Looking(query, read_question(text, today=now()), current, audience or by)
        result = await self._look(looking)
        if query.widen and query.project_id and len(result.hits) < FEW:
            result = await self._look(replace_query(looking, project_id=None))
        looking.timing.total = ms_since(began)
        self._note(looking, result, by)
        return result

    async def _look(self, looking: Looking) -> Result:
        reach = await self._reach(looking)
        by_words, by_meaning = await asyncio.gather(
            self._by_words(looking, reach), self._by_meaning(looking, reach)
        )
        catch = replace(by_meaning, words=by_words)
        began = perf_counter()
        hits = await self._db.read(lambda tx: picked(tx, looking, reach, catch), by=looking.by)
        looking.timing.rerank += ms_since(began)
        return Result(
            hits=hits,
            flags=looking.flags,
            timing=looking.timing,
            found_lexical=len(catch.words),
            found_dense=len(catch.meaning),
            broken=tuple(dict.fromkeys(looking.broken)),
        )

    async def _reach(self, looking: Looking) -> Reach:
        """Return where a query looks; only what is filtered has to be looked up."""
        query, reach = looking.query, reach_of(looking.query, looking.by)
        if reach.conversation_id is None and query.filters == Filters():
            return reach
        among = await self._db.read(lambda tx: candidates.within(tx, reach, query.filters), by=looking.by)
        return replace(reach, among=among)

    async def _by_words(self, looking: Looking, reach: Reach) -> dict[int, float]:
        began = perf_counter()
        found = await self._try(looking, lambda: self._lexical(looking, reach), {})
        looking.timing.lexical += ms_since(began)
        return found

    async def _lexical(self, looking: Looking, reach: Reach) -> dict[int, float]:
        parts = looking.query.parts
        if not looking.flags.hybrid or not (looking.question.words or looking.question.names):
            return {}
        question, found = looking.question, list[Found]()
        if Part.LEXICAL in parts:
            found += await self._db.read(
                lambda tx: lexical.search(tx, question, reach, common=self._common, limit=DEPTH),
                by=looking.by,
            )
        elif Part.IDENTIFIERS in parts and question.names:
            found += await self._db.read(
                lambda tx: lexical.search_names(tx, question, reach, limit=DEPTH), by=looking.by
            )
        return {one.chunk: one.score for one in found}

    async def _by_meaning(self, looking: Looking, reach: Reach) -> Catch:
        began = perf_counter()
        found = await self._try(looking, lambda: self._dense(looking, reach), Catch({}, {}))
        looking.timing.dense += ms_since(began)
        return found

    async def _dense(self, looking: Looking, reach: Reach) -> Catch:
        serving = self._meanings.serving
        wanted = looking.flags.dense and Part.DENSE in looking.query.parts and looking.question.text.strip()
        if serving is None or not wanted:
            return Catch({}, {})
        names = await self._db.glance(lambda tx: bank_names(tx, reach, serving.banks.embedder), by=looking.by)
        if not names:
            return Catch({}, {})
        meant = looking.question.text[:LONGEST_MEANT]
        vector = await self._meanings.of_query(meant, patience=looking.query.patience)
        found = await self._db.read(
            lambda tx: dense.search(tx, vector, names, reach, banks=serving.banks, limit=DEPTH),
            by=looking.by,
        )
        return Catch({}, found, vector, serving)

    async def _try(self, looking: Looking, look: Callable[[], Awaitable[T]], nothing: T) -> T:
        """Look in one way; when that fails the others go on, and the result says so."""
        try:
            return await look()
        except TertuliaError as error:
            log.warning("A part of retrieval failed: %s", error.message)
            looking.broken.append(error.code)
            if isinstance(error, WordsBroken):
                self.on_damage()
            return nothing

    def _note(self, looking: Looking, result: Result, by: Principal) -> None:
        """Keep the figures of a search; nobody waits for that."""
        row = metrics.row_of(looking.query, result)
        task = asyncio.ensure_future(self._db.write(lambda tx: metrics.add(tx, row), by=by))
        self._writing.add(task)
        task.add_done_callback(self._written)

    def _written(self, task: "asyncio.Task[None]") -> None:
        self._writing.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.warning("The figures of a search were not kept: %s", error)


def reach_of(query: Query, by: Principal) -> Reach:
    """Return where a query looks, but for its filters."""
    kinds = query.filters.kinds
    return Reach(
        workspace_id=by.workspace_id,
        user_id=by.user_id,
        project_id=query.project_id,
        conversation_id=query.conversation_id if query.only_here else None,
        kind=kinds[0] if len(kinds) == 1 else None,
    )


def bank_names(tx: Tx, reach: Reach, embedder: str) -> list[str]:
    """Return the banks with vectors in a reach: what every member may find, and what is the caller's own."""
    places: list[str | None] = [reach.project_id]
    if reach.project_id is None:
        places += tx.column("SELECT id FROM projects WHERE workspace_id = :workspace")
    owners = [None, reach.user_id] if reach.user_id else [None]
    names = [
        bank_name(workspace_id=reach.workspace_id, project_id=place, owner_id=owner)
        for place in places
        for owner in owners
    ]
    sql = "SELECT 1 FROM vectors WHERE embedder = :embedder AND bank = :bank LIMIT 1"
    return [name for name in names if tx.value(sql, embedder=embedder, bank=name)]


def is_within(reach: Reach, one: candidates.Candidate) -> bool:
    """Tell whether a chunk lies where one looks: a bank may name one that has since gone elsewhere."""
    here = reach.project_id is None or one.project_id == reach.project_id
    return here and (reach.among is None or one.source in reach.among)


def picked(tx: Tx, looking: Looking, reach: Reach, catch: Catch) -> list[Scored]:
    """Return the best of what was found, in order."""
    return pick(ranked(tx, looking, reach, catch), limit=looking.query.limit)


def ranked(tx: Tx, looking: Looking, reach: Reach, catch: Catch) -> list[Scored]:
    """Return all that was found, weighed and in order."""
    parts, hybrid = looking.query.parts, looking.flags.hybrid
    likes = alike(tx, catch, list(catch.words))
    caught = candidates.fetch(tx, promising(catch.words, likes, most=WEIGHED))
    found = [one for one in caught if is_within(reach, one)]
    if Part.LEXICAL in parts and hybrid:
        near = around(tx, found, catch.words, looking)
        likes |= alike(tx, replace(catch, meaning=likes), [one.chunk for one in near])
        found += near
    pool = Pool(found, catch.words, likes)
    signals = weigh(pool, looking.question, now=now(), here=looking.query.conversation_id)
    if Part.IDENTIFIERS not in parts or not hybrid:
        signals = {chunk: replace(one, names=0.0) for chunk, one in signals.items()}
    rerank = Part.RERANK in parts and looking.flags.rerank
    return order(found, signals, looking.question, looking.flags, rerank=rerank)


def alike(tx: Tx, catch: Catch, chunks: list[int]) -> dict[int, float]:
    """Return how alike in meaning everything is that was found, these chunks included."""
    if catch.vector is None or catch.serving is None:
        return dict(catch.meaning)
    missing = [chunk for chunk in chunks if chunk not in catch.meaning]
    return catch.meaning | dense.likeness(tx, catch.vector, missing, banks=catch.serving.banks)


def around(
    tx: Tx, found: list[candidates.Candidate], by_words: dict[int, float], looking: Looking
) -> list[candidates.Candidate]:
    """Return what was said right before and after the best messages: an answer is found by its question."""
    query = looking.query
    if query.filters != Filters() or query.only_here:
        return []
    best = sorted(found, key=lambda one: by_words.get(one.chunk, 0.0), reverse=True)
    known = {one.chunk for one in best}
    near = [one for one in candidates.neighbours(tx, best) if one.chunk not in known]
    return [one for one in near if query.project_id in (None, one.project_id)][:MOST_AROUND]


def replace_query(looking: Looking, *, project_id: str | None) -> Looking:
    """Return the same looking, elsewhere; its clock goes on."""
    looking.query = replace(looking.query, project_id=project_id)
    return looking


def ms_since(began: float) -> float:
    """Return the milliseconds since a moment."""
    return (perf_counter() - began) * 1000
