"""What of files and past talk the models of a round are shown: looked up once, for all of them."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from time import monotonic
from typing import Any

from tertulia.context.domain import EMPTY_RECALL, RecalledPassage, RecallResult
from tertulia.context.included_files import (
    FileMention,
    RequestedFiles,
    find_mentions,
    find_requested_files,
    load_included_files,
)
from tertulia.context.prompt_inputs import DraftQuestion
from tertulia.context.remarks import REMARK_MAX_CHARS, is_remark
from tertulia.conversations import marks, rounds
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.domain import Mark, Origin, Passage, Reply
from tertulia.conversations.message_visibility import Branch, find_hidden_messages
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.core.tasks import cancel_tasks
from tertulia.files import access as file_access
from tertulia.files.attachments import find_ids_in_conversation
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.index_words import content_words
from tertulia.retrieval.reranking import SearchHit
from tertulia.retrieval.search import Search
from tertulia.retrieval.search_query import QUERY_MAX_CHARS, SearchQuery, SearchResult
from tertulia.retrieval.sources import SourceKind

log = logging.getLogger("tertulia.context")

#: Characters that are looked for: as many as a search reads, with the line end between the two ends.
RECALL_QUERY_MAX_CHARS = QUERY_MAX_CHARS - 1

#: A reply waits no longer than this for what could be found.
RECALL_TIMEOUT_SECONDS = 0.5
#: Searches made at once for replies; under a rush, replies start without rather than wait.
RECALL_CONCURRENCY_MAX = 4
#: How long it waits for others' searches before it goes on without.
RECALL_QUEUE_TIMEOUT_SECONDS = 0.1
#: An embedder that runs answers in a few milliseconds; one that is just starting is not waited for.
RECALL_EMBEDDING_TIMEOUT_SECONDS = 0.06
RECALL_CACHE_MAX_ENTRIES = 64
#: The models of a round ask at about the same time. Later, files and messages may be gone, or local only.
RECALL_CACHE_TTL_SECONDS = 3
RECALL_HITS_MAX = 30
#: A question with fewer telling words is also looked for together with the one before it.
STANDALONE_QUESTION_MIN_WORDS = 3
#: What scores less than this share of the best is not worth its tokens.
RECALL_MIN_SCORE_SHARE = 0.4
#: A passage has to do with a question when its meaning is so much alike, or it has such a share of its words.
RECALL_MIN_SIMILARITY = 0.35
RECALL_MIN_COVERAGE = 0.5


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """What a question asks for, and where."""

    #: What is looked for, of long texts their ends; nothing of the texts is kept beyond these.
    texts: tuple[str, ...]
    #: Files that the question names.
    mentions: tuple[FileMention, ...]
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


@dataclass(frozen=True, slots=True)
class RoundRecallKey:
    """What all lanes of a round share: its question, for whom it is looked up, and in which attempt."""

    round_id: str
    audience: Principal
    attempt: int


def requested_files_of(tx: Tx, wanted: RecallQuery) -> RequestedFiles:
    """Return the files that come with a question, always or because it names them."""
    return find_requested_files(tx, wanted.project_id, wanted.conversation_id, wanted.mentions)


def shorten_query(text: str) -> str:
    """Return a text, or of a very long one its two ends: there is asked what is shown between them."""
    half = RECALL_QUERY_MAX_CHARS // 2
    return text if len(text) <= RECALL_QUERY_MAX_CHARS else f"{text[:half]}\n{text[-half:]}"


class Recall:
    """Looks up what may help with a question."""

    def __init__(self, db: Database, search: Search, file_service: Files) -> None:
        self._db = db
        self._search = search
        self._file_service = file_service
        self._cache: OrderedDict[Hashable, tuple[float, asyncio.Task[RecallResult]]] = OrderedDict()
        self._slots = asyncio.Semaphore(RECALL_CONCURRENCY_MAX)

    async def for_reply(self, reply: Reply, *, by: Principal, audience: Principal) -> RecallResult:
        """Return what may help with a reply's round, best first; nothing when it cannot be had in time."""
        key = RoundRecallKey(reply.round_id, audience, reply.attempt)
        return await self._look_up_once(key, lambda: self._look_up_for_round(reply, by, audience))

    async def for_draft(self, draft: DraftQuestion, *, by: Principal, audience: Principal) -> RecallResult:
        """Return what may help with a question that was not sent yet."""

        def read(tx: Tx) -> tuple[RecallQuery, RequestedFiles]:
            wanted = query_for_draft(tx, draft)
            return wanted, requested_files_of(tx, wanted)

        wanted, requested = await self._db.read(read, by=audience)
        return await self._look_up_once(wanted, lambda: self._look_up(wanted, requested, by))

    async def close(self) -> None:
        """Give up what is being looked up."""
        await cancel_tasks(task for _, task in self._cache.values())

    async def _look_up_once(
        self, key: Hashable, look_up: Callable[[], Coroutine[Any, Any, RecallResult]]
    ) -> RecallResult:
        """Look up the same thing once for all who ask it at about the same time for the same audience."""
        begun, task = self._cache.get(key, (0.0, None))
        if task is None or monotonic() - begun > RECALL_CACHE_TTL_SECONDS:
            task = asyncio.create_task(look_up())
            self._cache[key] = (monotonic(), task)
            if len(self._cache) > RECALL_CACHE_MAX_ENTRIES:
                self._cache.popitem(last=False)
        return await asyncio.shield(task)

    async def _look_up_for_round(self, reply: Reply, by: Principal, audience: Principal) -> RecallResult:
        """Look up what may help with the question of a round."""

        def read(tx: Tx) -> tuple[RecallQuery, RequestedFiles] | None:
            wanted = query_for_reply(tx, reply)
            return (wanted, requested_files_of(tx, wanted)) if wanted else None

        found = await self._db.read(read, by=audience)
        return await self._look_up(*found, by) if found else EMPTY_RECALL

    async def _look_up(self, wanted: RecallQuery, requested: RequestedFiles, by: Principal) -> RecallResult:
        """Look, and let the reply go on without if that fails."""
        try:
            near = await load_included_files(requested, files=self._file_service, by=wanted.audience)
        except (TertuliaError, OSError):
            log.exception("Nothing was looked up for a reply.")
            return EMPTY_RECALL
        found, budget = await self._search_within_timeout(wanted, by)
        return RecallResult(near.always, near.named, found, budget, near.images, near.absent)

    async def _search_within_timeout(
        self, wanted: RecallQuery, by: Principal
    ) -> tuple[tuple[RecalledPassage, ...], int]:
        if not wanted.texts:
            return (), 0
        try:
            async with asyncio.timeout(RECALL_QUEUE_TIMEOUT_SECONDS):
                await self._slots.acquire()
        except TimeoutError:
            return (), 0
        try:
            async with asyncio.timeout(RECALL_TIMEOUT_SECONDS):
                return await self._search_passages(wanted, by)
        except TimeoutError:
            return (), 0
        except TertuliaError:
            log.exception("No passages were looked up for a reply.")
            return (), 0
        finally:
            self._slots.release()

    async def _search_passages(
        self, wanted: RecallQuery, by: Principal
    ) -> tuple[tuple[RecalledPassage, ...], int]:
        def take(tx: Tx, results: list[SearchResult]) -> tuple[tuple[RecalledPassage, ...], int]:
            useful = select_useful_hits(results, wanted.round_id)
            return to_recalled_passages(tx, useful, wanted.branch), results[0].flags.token_budget

        queries = [to_search_query(wanted, text) for text in wanted.texts]
        return await self._search.find_all(queries, by=by, audience=wanted.audience, take=take)


def to_search_query(wanted: RecallQuery, text: str) -> SearchQuery:
    """Return how a question is looked for."""
    return SearchQuery(
        text=text,
        project_id=wanted.project_id,
        conversation_id=wanted.conversation_id,
        widen=True,
        limit=RECALL_HITS_MAX,
        embedding_timeout_seconds=RECALL_EMBEDDING_TIMEOUT_SECONDS,
        purpose=wanted.purpose,
    )


def query_for_reply(tx: Tx, reply: Reply) -> RecallQuery | None:
    """Return what a reply's question asks for; None where a program speaks for itself."""
    conversation = get_for_reading(tx, reply.conversation_id)
    if conversation.origin is Origin.API:
        return None
    path = rounds.list_branch_rounds(tx, conversation.id, last_round_id=reply.round_id, limit=2)
    questions = [rounds.get_question(tx, round_.id).content for round_ in path]
    joined = join_previous_question(questions[-1], questions[:-1])
    return RecallQuery(
        texts_for(questions[-1], joined),
        tuple(find_mentions(joined or questions[-1])),
        conversation.project_id,
        tx.by,
        conversation.id,
        reply.round_id,
        last=reply.round_id,
    )


def query_for_draft(tx: Tx, draft: DraftQuestion) -> RecallQuery:
    """Return what a question asks for that was not sent yet."""
    project_id, before = draft.project_id, list[str]()
    if draft.conversation_id:
        project_id = get_for_reading(tx, draft.conversation_id).project_id
        before = [rounds.get_question(tx, draft.round_before).content] if draft.round_before else []
    joined = join_previous_question(draft.text, before)
    return RecallQuery(
        texts_for(draft.text, joined),
        tuple(find_mentions(joined or draft.text)),
        project_id,
        tx.by,
        draft.conversation_id,
        last=draft.round_before,
        purpose="preview",
    )


def join_previous_question(question: str, before: list[str]) -> str:
    """Return a question of few telling words after the one before it; nothing where it speaks for itself."""
    if not before or len(question) > REMARK_MAX_CHARS or not question.strip():
        return ""
    return f"{before[-1]}\n{question}" if len(content_words(question)) < STANDALONE_QUESTION_MIN_WORDS else ""


def texts_for(question: str, in_context: str) -> tuple[str, ...]:
    """Return what is looked for: a question, and the same after the one before it; no mere remarks."""
    return tuple(shorten_query(text) for text in (question, in_context) if not is_remark(text))


def select_useful_hits(results: Sequence[SearchResult], round_id: str | None) -> list[SearchHit]:
    """Return the hits of all searches that have to do with their question, the best first."""
    return interleave_hits([filter_relevant(drop_current_round(result.hits, round_id)) for result in results])


def drop_current_round(hits: Sequence[SearchHit], round_id: str | None) -> list[SearchHit]:
    """Return the hits that are not of the round itself."""
    return [hit for hit in hits if not round_id or hit.candidate.round_id != round_id]


def interleave_hits(lists: Sequence[Sequence[SearchHit]]) -> list[SearchHit]:
    """Return the best of each list, then the second of each, and so on; each passage once."""
    once: dict[tuple[str, int], SearchHit] = {}
    for hit in (hit for rank in zip_longest(*lists) for hit in rank if hit is not None):
        once.setdefault((hit.candidate.source_id, hit.candidate.start_char), hit)
    return list(once.values())


def filter_relevant(hits: list[SearchHit]) -> list[SearchHit]:
    """Return the hits that have to do with the question and are not far worse than the best."""
    best = hits[0].score if hits else 0.0
    return [hit for hit in hits if hit.score >= best * RECALL_MIN_SCORE_SHARE and is_relevant(hit)]


def is_relevant(hit: SearchHit) -> bool:
    """Tell whether a hit has to do with the question at all: something is always the nearest."""
    signals = hit.signals
    return (
        signals.alike >= RECALL_MIN_SIMILARITY or signals.coverage >= RECALL_MIN_COVERAGE or signals.names > 0
    )


def to_recalled_passages(tx: Tx, hits: list[SearchHit], here: Branch | None) -> tuple[RecalledPassage, ...]:
    """Return hits as passages, with who said them and which of them only local models may see.

    What a person left out is not among them, nor what stands on another branch or was passed over, nor
    what is attached to another conversation.
    """
    hits = drop_foreign_files(tx, hits, here)
    if not hits:
        return ()
    files = [hit.candidate.source_id for hit in hits if hit.candidate.kind is SourceKind.FILE]
    messages = [hit.candidate.source_id for hit in hits if hit.candidate.kind is SourceKind.MESSAGE]
    marked = marks.find_marks(tx, messages)
    hidden = file_access.filter_local_only(tx, files) | {
        id_ for id_, own in marked.items() if Mark.LOCAL_ONLY in own
    }
    gone = find_hidden_messages(tx, messages, branch=here)
    said = [
        hit.candidate.source_id
        for hit in hits
        if here and hit.candidate.conversation_id == here.conversation_id
    ]
    lanes = rounds.find_lanes(tx, said) if said else {}
    return tuple(
        to_recalled_passage(
            hit.candidate,
            local_only=hit.candidate.source_id in hidden,
            lane=lanes.get(hit.candidate.source_id, ""),
        )
        for hit in hits
        if hit.candidate.source_id not in gone
    )


def drop_foreign_files(tx: Tx, hits: list[SearchHit], here: Branch | None) -> list[SearchHit]:
    """Return the hits without files that their paths do not mean here: attachments of other conversations."""
    files = [hit.candidate for hit in hits if hit.candidate.kind is SourceKind.FILE]
    meant = find_ids_in_conversation(
        tx, here.conversation_id if here else None, {(file.project_id, file.path) for file in files}
    )
    foreign = {file.source_id for file in files if meant.get((file.project_id, file.path)) != file.source_id}
    return [hit for hit in hits if hit.candidate.source_id not in foreign]


def to_recalled_passage(one: Candidate, *, local_only: bool, lane: str) -> RecalledPassage:
    """Return what was found as a passage."""
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
    return RecalledPassage(
        passage,
        one.content,
        said_on=one.said_at.date().isoformat(),
        summary=one.summary,
        lane=lane,
        local_only=local_only,
    )
