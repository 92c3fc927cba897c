"""What of files and past talk the models of a round are shown: looked up once, for all of them."""

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass, replace
from time import monotonic

from tertulia.context.at_hand import files_at_hand
from tertulia.context.domain import NOTHING, Memory, Recalled
from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.domain import Origin, Passage, Reply
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.files import store as files
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx
from tertulia.retrieval.fuse import Scored
from tertulia.retrieval.search import Query, Search
from tertulia.retrieval.sources import SourceKind
from tertulia.retrieval.words import content_words

log = logging.getLogger("tertulia.context")

#: A reply waits no longer than this for what could be found.
PATIENCE_SECONDS = 0.5
#: Searches made at once for replies; under a rush, replies start without rather than wait.
AT_ONCE = 4
#: How long it waits for others' searches before it goes on without.
RUSH_SECONDS = 0.1
#: An embedder that runs answers in a few milliseconds; one that is just starting is not waited for.
MEANING_SECONDS = 0.06
MOST_REMEMBERED = 64
#: The models of a round ask at about the same time; one that is asked again later looks anew.
REMEMBER_SECONDS = 30
LOOKED_AT = 30
#: Rounds that models are shown anyway, so that nothing in them has to be found.
SHOWN_ANYWAY = 20
#: A question with fewer telling words is looked for together with the one before it.
FEW_WORDS = 3
#: What scores less than this share of the best is not worth its tokens.
WORTH_SHOWING = 0.4
#: A passage has to do with a question when its meaning is so much alike, or it has such a share of its words.
ALIKE = 0.35
COVERED = 0.5


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a round's question asks for, and what its models see anyway."""

    text: str
    project_id: str | None
    conversation_id: str
    shown: frozenset[str]


class Recall:
    """Looks up what may help with a question."""

    def __init__(self, db: Database, search: Search, shelf: Files) -> None:
        self._db = db
        self._search = search
        self._shelf = shelf
        self._rounds: OrderedDict[str, tuple[float, asyncio.Task[Memory]]] = OrderedDict()
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def for_reply(self, reply: Reply, *, by: Principal) -> Memory:
        """Return what may help with a reply's round, best first; nothing when it cannot be had in time."""
        begun, task = self._rounds.get(reply.round_id, (0.0, None))
        if task is None or monotonic() - begun > REMEMBER_SECONDS:
            task = asyncio.create_task(self._look_up(reply, by))
            self._rounds[reply.round_id] = (monotonic(), task)
            if len(self._rounds) > MOST_REMEMBERED:
                self._rounds.popitem(last=False)
        return await asyncio.shield(task)

    async def _look_up(self, reply: Reply, by: Principal) -> Memory:
        """Look, and let the reply go on without if that fails."""
        try:
            return await self._remember(reply, by)
        except (TertuliaError, OSError):
            log.exception("Nothing was looked up for a reply.")
            return NOTHING

    async def _remember(self, reply: Reply, by: Principal) -> Memory:
        wanted = await self._db.read(lambda tx: wanted_by(tx, reply), by=by)
        if wanted is None:
            return NOTHING
        near = await files_at_hand(wanted.text, wanted.project_id, files=self._shelf, db=self._db, by=by)
        shown = {one.passage.source_id for one in near.texts}
        found = [one for one in await self._found(wanted, by) if one.passage.source_id not in shown]
        return Memory(numbered([*near.texts, *found]), near.images)

    async def _found(self, wanted: Wanted, by: Principal) -> tuple[Recalled, ...]:
        try:
            async with asyncio.timeout(RUSH_SECONDS):
                await self._turn.acquire()
        except TimeoutError:
            return ()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await self._find(wanted, by)
        except TimeoutError:
            return ()
        finally:
            self._turn.release()

    async def _find(self, wanted: Wanted, by: Principal) -> tuple[Recalled, ...]:
        query = Query(
            text=wanted.text,
            project_id=wanted.project_id,
            conversation_id=wanted.conversation_id,
            widen=True,
            limit=LOOKED_AT,
            patience=MEANING_SECONDS,
            purpose="turn",
        )
        found = await self._search.find(query, by=by)
        hits = [hit for hit in found.hits if hit.candidate.source_id not in wanted.shown]
        within = fitting(hits, budget=found.flags.token_budget)
        return await self._db.read(lambda tx: recalled(tx, within), by=by)


def wanted_by(tx: Tx, reply: Reply) -> Wanted | None:
    """Return what a reply's question asks for; None where a program speaks for itself."""
    conversation = get_for_reading(tx, reply.conversation_id)
    if conversation.origin is Origin.API:
        return None
    path = rounds.path(tx, conversation.id, last=reply.round_id, limit=SHOWN_ANYWAY)
    full = rounds.fill(tx, path)
    asked = full[-1].question.content
    if len(content_words(asked)) < FEW_WORDS and len(full) > 1:
        asked = f"{full[-2].question.content}\n{asked}"
    shown = {one.question.id for one in full}
    shown |= {answer.reply.id for one in full for answer in one.answers}
    return Wanted(asked, conversation.project_id, conversation.id, frozenset(shown))


def fitting(hits: list[Scored], *, budget: int) -> list[Scored]:
    """Return the best hits that fit a number of tokens, none of them cut, none far worse than the best."""
    kept: list[Scored] = []
    for hit in hits:
        if hit.score < hits[0].score * WORTH_SHOWING:
            break
        if hit.candidate.tokens <= budget and is_about_it(hit):
            budget -= hit.candidate.tokens
            kept.append(hit)
    return kept


def is_about_it(hit: Scored) -> bool:
    """Tell whether a hit has to do with the question at all: something is always the nearest."""
    signals = hit.signals
    return signals.alike >= ALIKE or signals.coverage >= COVERED or signals.names > 0


def numbered(passages: list[Recalled]) -> tuple[Recalled, ...]:
    """Number passages, so that they can be cited."""
    return tuple(
        replace(one, passage=replace(one.passage, number=number))
        for number, one in enumerate(passages, start=1)
    )


def recalled(tx: Tx, hits: list[Scored]) -> tuple[Recalled, ...]:
    """Return hits as passages, and which of them only local models may see."""
    hidden = files.local_only_among(tx, [hit.candidate.source_id for hit in hits])
    return tuple(replace(as_passage(hit), local_only=hit.candidate.source_id in hidden) for hit in hits)


def as_passage(hit: Scored) -> Recalled:
    """Return one hit as a passage."""
    one = hit.candidate
    passage = Passage(
        number=0,
        kind=one.kind,
        source_id=one.source_id,
        project_id=one.project_id,
        start_char=one.start_char,
        end_char=one.end_char,
        tokens=one.tokens,
        path=one.path,
        start_line=one.start_line,
        end_line=one.end_line,
        heading=one.context if one.kind is SourceKind.FILE else "",
        title=one.title or "",
        conversation_id=one.conversation_id,
        round_id=one.round_id,
        round_number=one.round_number or 0,
        speaker=one.speaker,
    )
    return Recalled(passage, one.content, said_on=one.said_at.date().isoformat())
