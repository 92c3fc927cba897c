"""Chunks that may be what is looked for, with all that is known of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tertulia.infra.db import Tx, listed
from tertulia.retrieval.filters import Filters, condition
from tertulia.retrieval.lexical import Reach
from tertulia.retrieval.sources import SEEN, SourceKind

#: A message's neighbours are looked at when it is among so many best.
WITH_NEIGHBOURS = 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk, where it stands and who said it when."""

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


COLUMNS = """c.id AS chunk, c.number, c.kind AS chunk_kind, c.language, c.start_line, c.end_line,
    c.start_char, c.end_char, c.tokens, c.context, c.summary, c.content, s.id AS source, s.kind,
    s.source_id, s.project_id, s.conversation_id, v.title, s.path, s.tags, s.speaker,
    s.round_id, s.round_number, s.said_at"""
TABLES = """chunks AS c JOIN sources AS s ON s.id = c.source
    LEFT JOIN conversations AS v ON v.id = s.conversation_id"""


def fetch(tx: Tx, chunks: Iterable[int]) -> list[Candidate]:
    """Return what is known of some chunks; those that the caller may not see are not there."""
    return tx.all(
        Candidate,
        f"SELECT {COLUMNS} FROM {TABLES} WHERE c.id IN {listed('chunks')} AND {SEEN}",
        chunks=list(chunks),
    )


def neighbours(tx: Tx, best: Sequence[Candidate]) -> list[Candidate]:
    """Return the first chunk of what was said right before and after the best messages."""
    places = [[one.conversation_id, one.round_number] for one in best if one.kind is SourceKind.MESSAGE][
        :WITH_NEIGHBOURS
    ]
    if not places:
        return []
    return tx.all(
        Candidate,
        f"""SELECT DISTINCT {COLUMNS} FROM json_each(:places) AS p
            JOIN sources AS s ON s.conversation_id = json_extract(p.value, '$[0]')
              AND s.round_number BETWEEN json_extract(p.value, '$[1]') - 1
                AND json_extract(p.value, '$[1]') + 1
            JOIN chunks AS c ON c.source = s.id AND c.number = 0
            LEFT JOIN conversations AS v ON v.id = s.conversation_id WHERE {SEEN}""",
        places=places,
    )


def within(tx: Tx, reach: Reach, filters: Filters) -> frozenset[int] | None:
    """Return the sources that pass the filters within a reach; None when nothing is filtered."""
    wanted, values = condition(filters)
    if reach.conversation_id:
        wanted.append("s.conversation_id = :conversation_id")
    if not wanted:
        return None
    if reach.project_id:
        wanted.append("s.project_id = :project_id")
    found = tx.column(
        f"SELECT s.id FROM sources AS s WHERE {SEEN} AND {' AND '.join(wanted)}",
        conversation_id=reach.conversation_id,
        project_id=reach.project_id,
        **values,
    )
    return frozenset(found)
