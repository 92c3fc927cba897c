"""Chunks that may be what is looked for, with all that is known of them."""

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec
from msgspec import structs

from tertulia.infra.db import Tx, bound_list, bound_rows
from tertulia.retrieval.chunking.domain import ChunkKind
from tertulia.retrieval.filters import SearchFilters, filter_conditions
from tertulia.retrieval.message_texts import (
    CHUNK_ASKED_SQL,
    CHUNK_CONTENT_SQL,
    message_context,
    summarise_message,
)
from tertulia.retrieval.search_scope import SearchScope
from tertulia.retrieval.sources import ALL_SOURCE_KINDS, VISIBLE_SOURCES_SQL, SourceKind

#: A message's neighbours are looked at when it is among so many best.
CANDIDATES_WITH_NEIGHBOURS_MAX = 20


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A chunk, where it stands and who said it when.

    A struct, because a search reads eighty of them and a dataclass takes ten times as long to make.
    """

    chunk: int
    number: int
    chunk_kind: str
    language: str
    start_line: int
    end_line: int
    start_char: int
    end_char: int
    tokens: int
    context: str
    summary: str
    content: str
    source: int
    kind: SourceKind
    source_id: str
    project_id: str | None
    conversation_id: str | None
    title: str | None
    path: str
    tags: list[str]
    speaker: str
    round_id: str | None
    round_number: int | None
    said_at: datetime
    #: The question before a message whose context is not stored.
    asked: str | None = None

    @property
    def hint(self) -> str:
        """Return one line on what the chunk holds; empty where nobody wrote one."""
        if self.summary or self.kind is not SourceKind.MESSAGE:
            return self.summary
        return summarise_message(self.content, ChunkKind(self.chunk_kind), self.language)

    def complete(self) -> "Candidate":
        """Return the candidate with its context, be it stored or not."""
        if self.context or self.kind is not SourceKind.MESSAGE:
            return self
        return structs.replace(self, context=message_context(self.title, self.asked, self.said_at))


CANDIDATE_COLUMNS = f"""c.id AS chunk, c.number, c.kind AS chunk_kind, c.language, c.start_line, c.end_line,
    c.start_char, c.end_char, c.tokens, c.context, c.summary, {CHUNK_CONTENT_SQL} AS content,
    s.id AS source, s.kind, s.source_id, s.project_id, s.conversation_id, v.title, s.path, s.tags, s.speaker,
    s.round_id, s.round_number, s.said_at, {CHUNK_ASKED_SQL} AS asked"""
CANDIDATE_TABLES_SQL = """chunks AS c JOIN sources AS s ON s.id = c.source
    LEFT JOIN conversations AS v ON v.id = s.conversation_id"""


def fetch_candidates(tx: Tx, chunks: Iterable[int], *, from_conversation_id: str | None) -> list[Candidate]:
    """Return what is known of some chunks; those that the caller may not see are not there.

    Of temporary conversations only the one is there from which one looks.
    """
    found = tx.all(
        Candidate,
        f"""SELECT {CANDIDATE_COLUMNS} FROM {CANDIDATE_TABLES_SQL}
            WHERE c.id IN {bound_list("chunks", of="BIGINT")} AND {VISIBLE_SOURCES_SQL}
              AND (v.expires_at IS NULL OR v.id = :from_conversation)""",
        chunks=list(chunks),
        from_conversation=from_conversation_id,
    )
    return [candidate.complete() for candidate in found]


def fetch_neighbours(
    tx: Tx, best: Sequence[Candidate], *, project_id: str | None, limit: int
) -> list[Candidate]:
    """Return the first chunk of what was said beside, right before and after the best messages.

    The neighbours of the best message come first; what is among `best` is not told again.
    """
    # By its kind alone SQLite would look through all messages, so that is no plain comparison below.
    messages = [candidate for candidate in best if candidate.kind is SourceKind.MESSAGE]
    # What lies between two messages is near both, and read once.
    rounds = dict.fromkeys(
        (candidate.conversation_id, candidate.round_number + step)
        for candidate in messages[:CANDIDATES_WITH_NEIGHBOURS_MAX]
        if candidate.round_number is not None
        for step in (-1, 0, 1)
    )
    if not rounds:
        return []
    found = tx.all(
        Candidate,
        f"""SELECT {CANDIDATE_COLUMNS} FROM {bound_rows("rounds", "conversation_id", "number BIGINT")} AS near
            JOIN sources AS s ON s.conversation_id = near.conversation_id AND s.round_number = near.number
            JOIN chunks AS c ON c.source = s.id AND c.number = 0
            LEFT JOIN conversations AS v ON v.id = s.conversation_id
            WHERE {VISIBLE_SOURCES_SQL} AND c.id NOT IN {bound_list("known", of="BIGINT")}
              AND s.kind || '' = 'message'
              AND (CAST(:project_id AS TEXT) IS NULL OR s.project_id = :project_id)
            ORDER BY near.position, s.id LIMIT :limit""",
        rounds=list(rounds),
        known=[candidate.chunk for candidate in best],
        project_id=project_id,
        limit=limit,
    )
    return [candidate.complete() for candidate in found]


def find_filtered_sources(tx: Tx, scope: SearchScope, filters: SearchFilters) -> frozenset[int] | None:
    """Return the sources that pass the filters within a reach; None when nothing is filtered."""
    wanted, values = filter_conditions(filters)
    if scope.conversation_id:
        wanted.append("s.conversation_id = :conversation_id")
    if not wanted:
        return None
    if scope.kinds != ALL_SOURCE_KINDS:
        wanted.append(f"s.kind IN {bound_list('scope_kinds')}")
    if scope.project_id:
        wanted.append("s.project_id = :project_id")
    found = tx.column(
        f"SELECT s.id FROM sources AS s WHERE {VISIBLE_SOURCES_SQL} AND {' AND '.join(wanted)}",
        conversation_id=scope.conversation_id,
        project_id=scope.project_id,
        scope_kinds=sorted(scope.kinds),
        **values,
    )
    return frozenset(found)
