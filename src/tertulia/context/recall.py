"""What of files and past talk the models of a round are shown: looked up once, for all of them."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import zip_longest
from time import monotonic, perf_counter
from typing import Any

from tertulia.context.domain import EMPTY_RECALL, AbsentFile, RecalledPassage, RecallResult
from tertulia.context.fair_order import FILE_PASSAGES_MIN
from tertulia.context.included_files import IncludedFiles, RequestedFiles, load_included_files
from tertulia.context.prompt_inputs import DraftQuestion
from tertulia.context.prompt_plan import WhyNot
from tertulia.context.recall_query import (
    RecallQuery,
    find_asked_sentence,
    may_leave,
    query_for_draft,
    query_for_reply,
    requested_files_of,
)
from tertulia.context.recalled_hits import RecallPlace, select_useful_hits, to_recalled_passages
from tertulia.conversations import rounds
from tertulia.conversations.domain import Reply
from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.core.fair_slots import FairSlots
from tertulia.core.principal import Principal
from tertulia.core.tasks import cancel_tasks
from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx
from tertulia.memories.prompt_memories import has_memories
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.full_text_index import FullTextIndexDamaged
from tertulia.retrieval.index_progress import UnindexedFile
from tertulia.retrieval.query_expansion import ExpansionUnavailable, wants_expansion
from tertulia.retrieval.search import Search
from tertulia.retrieval.search_query import SearchQuery, SearchResult
from tertulia.retrieval.sources import QUOTABLE_KINDS, SourceKind, has_summary

log = logging.getLogger("tertulia.context")

#: A reply waits no longer than this for what can be found. The first word of a large model takes one to
#: several seconds, so that searching, even in a rush, is not what a person waits for most.
RECALL_TIMEOUT_SECONDS = 3.0
#: Of that, so much at most for the question's meaning: one that is late leaves time to search by words.
RECALL_EMBEDDING_TIMEOUT_SECONDS = 1.0
#: And so much for files that were written a moment ago: small ones are indexed within half a second.
UPLOAD_WAIT_SECONDS = 1.0
UPLOAD_POLL_SECONDS = 0.1
#: What was written longer ago and is not indexed yet takes long.
RECENT_UPLOAD_MAX_AGE = timedelta(seconds=10)
#: Files that are told of by name while search does not find them.
UNINDEXED_FILES_MAX = 20
#: Searches made at once for replies: more would only take the database's threads from everybody else.
RECALL_CONCURRENCY_MAX = 4
#: The models of a round ask at about the same time. Later, files and messages may be gone, or local only.
RECALL_CACHE_TTL_SECONDS = 3
RECALL_HITS_MAX = 30
#: Places of a summary that say which of its points a question is about. Many are of little worth, such as
#: readings that have the question's words, and stand before the one that answers it in others.
FOUND_POINTS_MAX = 24
#: Memories that a question may need.
FOUND_MEMORIES_MAX = 40
#: What a receipt says of a search of which a part did not work, by the code of what broke.
BROKEN_PART_REASONS = {
    EmbedderUnavailable.code: WhyNot.NO_MEANING,
    FullTextIndexDamaged.code: WhyNot.NO_WORDS,
    ExpansionUnavailable.code: WhyNot.NO_EXPANSION,
}


@dataclass(frozen=True, slots=True)
class RoundRecallKey:
    """What all lanes of a round share: its question, for whom it is looked up, and in which attempt."""

    round_id: str
    audience: Principal
    attempt: int


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """What a question asks for, the files that come with it, and those that search does not find yet."""

    query: RecallQuery
    files: RequestedFiles
    flags: Flags
    unindexed: tuple[UnindexedFile, ...] = ()
    #: The models that are asked it, where a further one may be asked to expand it.
    asked_models: tuple[str, ...] = ()
    may_leave: bool = True
    #: Points of the conversation can be found.
    has_summary: bool = False
    #: Something is remembered that can be found.
    has_memories: bool = False

    @property
    def is_expanded(self) -> bool:
        """Tell whether flags ask a model to expand the question; what is only drafted is not."""
        return wants_expansion(self.flags) and bool(self.query.question_ids)


@dataclass(frozen=True, slots=True)
class RecallSearch:
    """What was found for a question, how many tokens of it may be shown, and which part was not searched."""

    found: tuple[RecalledPassage, ...] = ()
    budget: int = 0
    given_up: tuple[WhyNot, ...] = ()
    found_points: tuple[str, ...] = ()
    found_memories: tuple[str, ...] = ()


class Recall:
    """Looks up what may help with a question."""

    def __init__(self, db: Database, search: Search, file_service: Files) -> None:
        self._db = db
        self._search = search
        self._file_service = file_service
        #: What is being looked up or was a moment ago, the first first.
        self._cache: dict[Hashable, tuple[float, asyncio.Task[RecallResult]]] = {}
        self._slots = FairSlots(RECALL_CONCURRENCY_MAX)

    async def for_reply(self, reply: Reply, *, by: Principal, audience: Principal) -> RecallResult:
        """Return what may help with a reply's round, best first, and what of it could not be had in time."""
        key = RoundRecallKey(reply.round_id, audience, reply.attempt)
        return await self._look_up_once(key, lambda: self._look_up_for_round(reply, by, audience))

    async def for_draft(self, draft: DraftQuestion, *, by: Principal, audience: Principal) -> RecallResult:
        """Return what may help with a question that was not sent yet."""
        request = await self._db.read(
            lambda tx: self._read_request(tx, query_for_draft(tx, draft), by), by=audience
        )
        return await self._look_up_once(request.query, lambda: self._look_up(request, by))

    async def close(self) -> None:
        """Give up what is being looked up."""
        await cancel_tasks(task for _, task in self._cache.values())

    async def _look_up_once(
        self, key: Hashable, look_up: Callable[[], Coroutine[Any, Any, RecallResult]]
    ) -> RecallResult:
        """Look up the same thing once for all who ask it at about the same time for the same audience."""
        self._forget_outdated()
        if key not in self._cache:
            self._cache[key] = (monotonic(), asyncio.create_task(look_up()))
        return await asyncio.shield(self._cache[key][1])

    def _forget_outdated(self) -> None:
        outdated = monotonic() - RECALL_CACHE_TTL_SECONDS
        for key, (begun, task) in list(self._cache.items()):
            if begun > outdated:
                break
            if task.done():
                del self._cache[key]

    async def _look_up_for_round(self, reply: Reply, by: Principal, audience: Principal) -> RecallResult:
        """Look up what may help with the question of a round."""

        def read(tx: Tx) -> RecallRequest | None:
            wanted = query_for_reply(tx, reply)
            return self._read_request(tx, wanted, by) if wanted else None

        request = await self._db.read(read, by=audience)
        return await self._look_up(request, by) if request else EMPTY_RECALL

    def _read_request(self, tx: Tx, wanted: RecallQuery, by: Principal) -> RecallRequest:
        flags = self._search.read_flags(tx, by=by)
        request = RecallRequest(
            wanted,
            requested_files_of(tx, wanted),
            flags,
            self._list_unindexed(tx, wanted),
            has_summary=wanted.conversation_id is not None and has_summary(tx, wanted.conversation_id),
            has_memories=has_memories(tx),
        )
        if not request.is_expanded or wanted.round_id is None:
            return request
        replies = rounds.list_stored_replies(tx, wanted.round_id)
        models = tuple(sorted({reply.model for reply in replies}))
        return replace(request, asked_models=models, may_leave=may_leave(tx, wanted))

    def _list_unindexed(self, tx: Tx, wanted: RecallQuery) -> tuple[UnindexedFile, ...]:
        return tuple(
            self._search.list_unindexed_files(
                tx,
                project_id=wanted.project_id,
                conversation_id=wanted.conversation_id,
                limit=UNINDEXED_FILES_MAX,
            )
        )

    async def _look_up(self, request: RecallRequest, by: Principal) -> RecallResult:
        """Look, and note what could not be had: a reply goes on without it."""
        files = request.files
        try:
            near = await load_included_files(files, files=self._file_service, by=request.query.audience)
        except (TertuliaError, OSError):
            log.exception("The files that come with a question could not be read.")
            near = IncludedFiles(absent=files_unread(files))
        shown = {file.id for file in (*files.named, *files.always)}
        unindexed = [file for file in await self._wait_for_uploads(request) if file.file_id not in shown]
        search = await self._search_in_time(request, by)
        absent = (*near.absent, *map(to_absent_file, unindexed))
        return RecallResult(
            near.always,
            near.named,
            search.found,
            search.budget,
            near.images,
            absent,
            search.given_up,
            search.found_points,
            search.found_memories,
        )

    async def _wait_for_uploads(self, request: RecallRequest) -> tuple[UnindexedFile, ...]:
        """Return the files that search does not find yet, after a moment for those that were just written."""
        unindexed, end = request.unindexed, monotonic() + UPLOAD_WAIT_SECONDS
        while request.query.texts and any(map(is_recent, unindexed)) and monotonic() < end:
            await asyncio.sleep(UPLOAD_POLL_SECONDS)
            unindexed = await self._db.read(
                lambda tx: self._list_unindexed(tx, request.query), by=request.query.audience
            )
        return unindexed

    async def _search_in_time(self, request: RecallRequest, by: Principal) -> RecallSearch:
        """Search when it is this person's turn; nothing is found where that takes too long, or fails."""
        wanted, began = request.query, perf_counter()
        queries = [to_search_query(wanted, text, request.flags) for text in wanted.texts]
        if not queries:
            return RecallSearch()
        if not request.flags.token_budget and not request.has_summary and not request.has_memories:
            return RecallSearch(given_up=(WhyNot.SWITCHED_OFF,))
        try:
            async with asyncio.timeout(RECALL_TIMEOUT_SECONDS):
                if request.is_expanded and request.flags.token_budget:
                    queries = [*queries[:-1], *await self._expand(request, queries[-1], by)]
                return await self._search_passages(request, queries, by)
        except TimeoutError:
            reason = WhyNot.SEARCH_TIMEOUT
        except TertuliaError:
            log.exception("No passages were looked up for a reply.")
            reason = WhyNot.SEARCH_FAILED
        self._search.note_given_up(queries, began=began, by=by, code=reason)
        return RecallSearch(given_up=(reason,))

    async def _expand(self, request: RecallRequest, query: SearchQuery, by: Principal) -> list[SearchQuery]:
        """Return a query with those that a model wrote to be looked for too."""
        return await self._search.expand(
            query,
            flags=request.flags,
            by=by,
            local_only=not request.may_leave,
            asked_models=request.asked_models,
        )

    async def _search_passages(
        self, request: RecallRequest, queries: Sequence[SearchQuery], by: Principal
    ) -> RecallSearch:
        wanted, budget = request.query, request.flags.token_budget
        place = RecallPlace(wanted.project_id, wanted.branch)
        point_queries = [to_point_query(queries[0])] if request.has_summary else []
        memory_queries = to_memory_queries(queries[0]) if request.has_memories else []
        queries = queries if budget else []
        texts = [query.text for query in queries]

        def take(tx: Tx, every: list[SearchResult]) -> RecallSearch:
            results, rest = every[: len(queries)], every[len(queries) :]
            of_points, of_memories = rest[: len(point_queries)], rest[len(point_queries) :]
            memories = merge_found(of_memories)
            points = tuple(hit.candidate.content for result in of_points for hit in result.hits)
            useful = select_useful_hits(results, texts, wanted.round_id, own=len(wanted.texts))
            found = to_recalled_passages(tx, useful, texts, place)
            given_up = reasons_given_up(results) if budget else (WhyNot.SWITCHED_OFF,)
            return RecallSearch(found, budget, given_up, points, memories)

        # Whoever waits for the embedder keeps nobody from searching.
        searches = await self._search.prepare_all(
            [*queries, *point_queries, *memory_queries], by=by, audience=wanted.audience
        )
        async with self._slots.slot(by.user_id):
            return await self._search.run_all(searches, by=by, audience=wanted.audience, take=take)


def to_search_query(wanted: RecallQuery, text: str, flags: Flags) -> SearchQuery:
    """Return how a question is looked for."""
    return SearchQuery(
        text=text,
        project_id=wanted.project_id,
        conversation_id=wanted.conversation_id,
        widen=True,
        limit=RECALL_HITS_MAX,
        files_min=FILE_PASSAGES_MIN,
        kinds=QUOTABLE_KINDS,
        embedding_timeout_seconds=RECALL_EMBEDDING_TIMEOUT_SECONDS,
        flags=flags,
        purpose=wanted.purpose,
    )


def to_point_query(query: SearchQuery) -> SearchQuery:
    """Return how the points of the conversation's own summary are looked for that a question is about."""
    return replace(
        query,
        only_in_conversation=True,
        widen=False,
        files_min=0,
        kinds=frozenset({SourceKind.SUMMARY}),
        limit=FOUND_POINTS_MAX,
        needs_evidence=False,
        purpose="points",
    )


def to_memory_queries(query: SearchQuery) -> list[SearchQuery]:
    """Return how the memories are looked for that a question needs, wherever they come from.

    What a long question asks in one sentence is looked for by itself too: the rest may be of other matters.
    """
    asked = find_asked_sentence(query.text)
    return [to_memory_query(replace(query, text=text)) for text in (asked, query.text) if text]


def merge_found(results: Sequence[SearchResult]) -> tuple[str, ...]:
    """Return what several searches found, the best of each first."""
    ranks = zip_longest(*([hit.candidate.source_id for hit in result.hits] for result in results))
    return tuple(dict.fromkeys(source_id for rank in ranks for source_id in rank if source_id))


def to_memory_query(query: SearchQuery) -> SearchQuery:
    """Return how memories are looked for with one text."""
    return replace(
        query,
        project_id=None,
        conversation_id=None,
        widen=False,
        files_min=0,
        kinds=frozenset({SourceKind.MEMORY}),
        limit=FOUND_MEMORIES_MAX,
        needs_evidence=False,
        purpose="memories",
    )


def reasons_given_up(results: Sequence[SearchResult]) -> tuple[WhyNot, ...]:
    """Return which parts of searches did not work, as a receipt tells of them."""
    codes = [code for result in results for code in result.broken]
    return tuple(dict.fromkeys(BROKEN_PART_REASONS.get(code, WhyNot.SEARCH_FAILED) for code in codes))


def is_recent(file: UnindexedFile) -> bool:
    """Tell whether a file was written so lately that it may be indexed in a moment."""
    return now() - file.written_at < RECENT_UPLOAD_MAX_AGE


def to_absent_file(file: UnindexedFile) -> AbsentFile:
    """Return a file that search does not find yet as one that is absent for that reason."""
    reason = WhyNot.INDEXING_MEANING if file.has_words else WhyNot.INDEXING
    return AbsentFile(file.path, reason, file.file_id, file.project_id, local_only=file.local_only)


def files_unread(files: RequestedFiles) -> tuple[AbsentFile, ...]:
    """Return the files that come with a question as absent, because they could not be read."""
    return (
        *(AbsentFile(file.path, WhyNot.UNREADABLE, file.id, file.project_id) for file in files.named),
        *(AbsentFile(file.path, WhyNot.UNREADABLE, file.id, file.project_id, True) for file in files.always),
    )
