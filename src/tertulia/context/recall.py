"""What of files and past talk the models of a round are shown: looked up once, for all of them."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from time import monotonic

from tertulia.context.at_hand import Mention, files_at_hand, named_in
from tertulia.context.domain import NOTHING, Memory, Recalled
from tertulia.context.gather import Draft
from tertulia.context.remarks import REMARK_MAX_CHARS, is_remark
from tertulia.conversations import marks, rounds
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.domain import Mark, Origin, Passage, Reply
from tertulia.conversations.standing import Branch, fallen
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.files import store as files
from tertulia.files.attachments import find_in_conversation
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.fuse import Scored
from tertulia.retrieval.search import LONGEST_QUERY, Query, Search
from tertulia.retrieval.sources import SourceKind
from tertulia.retrieval.words import content_words

log = logging.getLogger("tertulia.context")

#: Characters that are looked for: as many as a search reads, with the line end between the two ends.
LOOKED_FOR_MAX_CHARS = LONGEST_QUERY - 1

#: A reply waits no longer than this for what could be found.
PATIENCE_SECONDS = 0.5
#: Searches made at once for replies; under a rush, replies start without rather than wait.
AT_ONCE = 4
#: How long it waits for others' searches before it goes on without.
RUSH_SECONDS = 0.1
#: An embedder that runs answers in a few milliseconds; one that is just starting is not waited for.
MEANING_SECONDS = 0.06
MOST_REMEMBERED = 64
#: The models of a round ask at about the same time. Later, files and messages may be gone, or local only.
REMEMBER_SECONDS = 3
LOOKED_AT = 30
#: A question with fewer telling words is also looked for together with the one before it.
FEW_WORDS = 3
#: What scores less than this share of the best is not worth its tokens.
WORTH_SHOWING = 0.4
#: A passage has to do with a question when its meaning is so much alike, or it has such a share of its words.
ALIKE = 0.35
COVERED = 0.5


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for, and where."""

    #: What is looked for, of long texts their ends; nothing of the texts is kept beyond these.
    texts: tuple[str, ...]
    #: Files that the question names.
    mentions: tuple[Mention, ...]
    project_id: str | None
    #: As whom it is looked up.
    audience: Principal
    conversation_id: str | None = None
    #: The round it is asked in: nothing of it has to be found.
    round_id: str | None = None
    #: The last round of its branch that there is so far.
    last: str | None = None
    purpose: str = "turn"

    @property
    def branch(self) -> Branch | None:
        """Return the branch it is asked on."""
        return Branch(self.conversation_id, self.last) if self.conversation_id else None


def ends_of(text: str) -> str:
    """Return a text, or of a very long one its two ends: there is asked what is shown between them."""
    half = LOOKED_FOR_MAX_CHARS // 2
    return text if len(text) <= LOOKED_FOR_MAX_CHARS else f"{text[:half]}\n{text[-half:]}"


class Recall:
    """Looks up what may help with a question."""

    def __init__(self, db: Database, search: Search, shelf: Files) -> None:
        self._db = db
        self._search = search
        self._shelf = shelf
        self._asked: OrderedDict[tuple[Wanted, int], tuple[float, asyncio.Task[Memory]]] = OrderedDict()
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def for_reply(self, reply: Reply, *, by: Principal, audience: Principal) -> Memory:
        """Return what may help with a reply's round, best first; nothing when it cannot be had in time."""
        wanted = await self._db.read(lambda tx: wanted_by(tx, reply), by=audience)
        return await self._once(wanted, by, attempt=reply.attempt) if wanted else NOTHING

    async def for_draft(self, draft: Draft, *, by: Principal, audience: Principal) -> Memory:
        """Return what may help with a question that was not sent yet."""
        wanted = await self._db.read(lambda tx: wanted_for(tx, draft), by=audience)
        return await self._once(wanted, by)

    async def _once(self, wanted: Wanted, by: Principal, *, attempt: int = 0) -> Memory:
        """Look up the same thing once for all who ask it at about the same time for the same audience."""
        key = wanted, attempt
        begun, task = self._asked.get(key, (0.0, None))
        if task is None or monotonic() - begun > REMEMBER_SECONDS:
            task = asyncio.create_task(self._look_up(wanted, by))
            self._asked[key] = (monotonic(), task)
            if len(self._asked) > MOST_REMEMBERED:
                self._asked.popitem(last=False)
        return await asyncio.shield(task)

    async def _look_up(self, wanted: Wanted, by: Principal) -> Memory:
        """Look, and let the reply go on without if that fails."""
        try:
            near = await files_at_hand(
                wanted.mentions,
                wanted.project_id,
                wanted.conversation_id,
                files=self._shelf,
                db=self._db,
                by=wanted.audience,
            )
            found, budget = await self._found(wanted, by)
        except (TertuliaError, OSError):
            log.exception("Nothing was looked up for a reply.")
            return NOTHING
        return Memory(near.always, near.named, found, budget, near.images, near.absent)

    async def _found(self, wanted: Wanted, by: Principal) -> tuple[tuple[Recalled, ...], int]:
        if not wanted.texts:
            return (), 0
        try:
            async with asyncio.timeout(RUSH_SECONDS):
                await self._turn.acquire()
        except TimeoutError:
            return (), 0
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await self._find(wanted, by)
        except TimeoutError:
            return (), 0
        finally:
            self._turn.release()

    async def _find(self, wanted: Wanted, by: Principal) -> tuple[tuple[Recalled, ...], int]:
        audience = wanted.audience
        found = [
            await self._search.find(query_for(wanted, text), by=by, audience=audience)
            for text in wanted.texts
        ]
        worth = taken_in_turn([worth_showing(elsewhere(one.hits, wanted.round_id)) for one in found])
        told = await self._db.read(lambda tx: recalled(tx, worth, wanted.branch), by=audience)
        return told, found[0].flags.token_budget


def query_for(wanted: Wanted, text: str) -> Query:
    """Return how a question is looked for."""
    return Query(
        text=text,
        project_id=wanted.project_id,
        conversation_id=wanted.conversation_id,
        widen=True,
        limit=LOOKED_AT,
        patience=MEANING_SECONDS,
        purpose=wanted.purpose,
    )


def wanted_by(tx: Tx, reply: Reply) -> Wanted | None:
    """Return what a reply's question asks for; None where a program speaks for itself."""
    conversation = get_for_reading(tx, reply.conversation_id)
    if conversation.origin is Origin.API:
        return None
    path = rounds.path(tx, conversation.id, last=reply.round_id, limit=2)
    questions = [rounds.question_of(tx, one.id).content for one in path]
    joined = with_context(questions[-1], questions[:-1])
    return Wanted(
        texts_for(questions[-1], joined),
        tuple(named_in(joined or questions[-1])),
        conversation.project_id,
        tx.by,
        conversation.id,
        reply.round_id,
        last=reply.round_id,
    )


def wanted_for(tx: Tx, draft: Draft) -> Wanted:
    """Return what a question asks for that was not sent yet."""
    project_id, before = draft.project_id, list[str]()
    if draft.conversation_id:
        project_id = get_for_reading(tx, draft.conversation_id).project_id
        before = [rounds.question_of(tx, draft.round_before).content] if draft.round_before else []
    joined = with_context(draft.text, before)
    return Wanted(
        texts_for(draft.text, joined),
        tuple(named_in(joined or draft.text)),
        project_id,
        tx.by,
        draft.conversation_id,
        last=draft.round_before,
        purpose="preview",
    )


def with_context(question: str, before: list[str]) -> str:
    """Return a question of few telling words after the one before it; nothing where it speaks for itself."""
    if not before or len(question) > REMARK_MAX_CHARS or not question.strip():
        return ""
    return f"{before[-1]}\n{question}" if len(content_words(question)) < FEW_WORDS else ""


def texts_for(question: str, in_context: str) -> tuple[str, ...]:
    """Return what is looked for: a question, and the same after the one before it; no mere remarks."""
    return tuple(ends_of(text) for text in (question, in_context) if not is_remark(text))


def elsewhere(hits: Sequence[Scored], round_id: str | None) -> list[Scored]:
    """Return the hits that are not of the round itself."""
    return [hit for hit in hits if not round_id or hit.candidate.round_id != round_id]


def taken_in_turn(lists: Sequence[Sequence[Scored]]) -> list[Scored]:
    """Return the best of each list, then the second of each, and so on; each passage once."""
    once: dict[tuple[str, int], Scored] = {}
    for hit in (hit for rank in zip_longest(*lists) for hit in rank if hit is not None):
        once.setdefault((hit.candidate.source_id, hit.candidate.start_char), hit)
    return list(once.values())


def worth_showing(hits: list[Scored]) -> list[Scored]:
    """Return the hits that have to do with the question and are not far worse than the best."""
    best = hits[0].score if hits else 0.0
    return [hit for hit in hits if hit.score >= best * WORTH_SHOWING and is_about_it(hit)]


def is_about_it(hit: Scored) -> bool:
    """Tell whether a hit has to do with the question at all: something is always the nearest."""
    signals = hit.signals
    return signals.alike >= ALIKE or signals.coverage >= COVERED or signals.names > 0


def recalled(tx: Tx, hits: list[Scored], here: Branch | None) -> tuple[Recalled, ...]:
    """Return hits as passages, with who said them and which of them only local models may see.

    What a person left out is not among them, nor what stands on another branch or was passed over, nor
    what is attached to another conversation.
    """
    hits = [hit for hit in hits if is_shown_here(tx, hit.candidate, here)]
    ids = [hit.candidate.source_id for hit in hits]
    marked = marks.of(tx, ids)
    hidden = files.local_only_among(tx, ids) | {id_ for id_, own in marked.items() if Mark.LOCAL_ONLY in own}
    gone = fallen(tx, ids, here=here)
    said = [
        hit.candidate.source_id
        for hit in hits
        if here and hit.candidate.conversation_id == here.conversation_id
    ]
    lanes = rounds.lanes_of(tx, said) if said else {}
    return tuple(
        replace(
            as_passage(hit),
            local_only=hit.candidate.source_id in hidden,
            lane=lanes.get(hit.candidate.source_id, ""),
        )
        for hit in hits
        if hit.candidate.source_id not in gone
    )


def is_shown_here(tx: Tx, one: Candidate, here: Branch | None) -> bool:
    """Tell whether a passage is of what its path means here: attachments are for their own conversation."""
    if one.kind is not SourceKind.FILE:
        return True
    file = find_in_conversation(tx, one.project_id, here.conversation_id if here else None, one.path)
    return file is not None and file.id == one.source_id


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
    return Recalled(passage, one.content, said_on=one.said_at.date().isoformat(), summary=one.summary)
