"""Chunks of messages: what stands in the message itself, and what helps to find it, is not stored again.

A chunk whose text is empty is read from its message by its place there, and its summary is made of that. One
without a context has that of its message now: its conversation's title, the question before it, the month.
"""

from calendar import month_name
from dataclasses import dataclass, replace
from datetime import datetime

from tertulia.infra.db import Tx
from tertulia.retrieval.chunking.chunk_summary import summarise_chunk
from tertulia.retrieval.chunking.domain import Chunk, ChunkKind
from tertulia.retrieval.sources import IndexedSource, SourceKind

#: How much of a question helps to find what was said after it.
QUESTION_CONTEXT_MAX_CHARS = 200
#: So much of it is read for that, as it may be long, and may begin with blanks.
QUESTION_READ_MAX_CHARS = 2_000
#: Between the parts of a message's context: its conversation's title, the question before it.
MESSAGE_CONTEXT_SEPARATOR = " · "
#: Each look into the calendar would have the name written anew.
MONTH_NAMES = tuple(month_name)
#: Chunks further on in a long message have their own text: the message would be read anew for each of them.
REFERENCED_TEXT_MAX_CHARS = 4_000

#: The text of a chunk `c` of a source `s`.
CHUNK_CONTENT_SQL = """CASE WHEN s.kind = 'summary' THEN unpacked(c.content)
    WHEN c.content <> '' OR s.kind <> 'message' THEN c.content ELSE coalesce((
    SELECT substr(m.content, CAST(c.start_char + 1 AS INTEGER), CAST(c.end_char - c.start_char AS INTEGER))
    FROM message_contexts AS m WHERE m.id = s.source_id), '') END"""
#: What its context is made of, where it has none of its own: see `complete_context`.
CHUNK_ASKED_SQL = f"""CASE WHEN c.context = '' AND s.kind = 'message' THEN (
    SELECT substr(m.asked, 1, {QUESTION_READ_MAX_CHARS}) FROM message_contexts AS m
    WHERE m.id = s.source_id) END"""
CHUNK_TITLE_SQL = """CASE WHEN c.context = '' AND s.kind = 'message' THEN (
    SELECT m.title FROM message_contexts AS m WHERE m.id = s.source_id) END"""
#: All that a chunk's text and context are made of.
CHUNK_TEXT_COLUMNS = f"""s.kind, s.said_at, c.context, {CHUNK_CONTENT_SQL} AS content,
    {CHUNK_TITLE_SQL} AS title, {CHUNK_ASKED_SQL} AS asked"""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """The beginning of a message, and what its context is made of."""

    content: str
    title: str | None
    asked: str | None
    created_at: datetime


def message_context(title: str | None, asked: str | None, said_at: datetime) -> str:
    """Return what helps to find a message besides its words: title, the question before it, the month."""
    question = " ".join((asked or "").split())[:QUESTION_CONTEXT_MAX_CHARS]
    place = MESSAGE_CONTEXT_SEPARATOR.join(part for part in (title, question) if part)
    return f"{place} ({MONTH_NAMES[said_at.month]} {said_at.year})".strip()


def complete_context(
    kind: SourceKind, context: str, *, title: str | None, asked: str | None, said_at: datetime
) -> str:
    """Return the context of a chunk: its own, or that of its message."""
    return context if context or kind is not SourceKind.MESSAGE else message_context(title, asked, said_at)


def without_message_texts(tx: Tx, source: IndexedSource, chunks: list[Chunk]) -> list[Chunk]:
    """Return chunks as they are stored: without what is read from their message."""
    if source.kind is not SourceKind.MESSAGE or not chunks:
        return chunks
    message = tx.one(
        StoredMessage,
        """SELECT substr(content, 1, CAST(:chars AS INTEGER)) AS content, title,
             substr(asked, 1, CAST(:asked_chars AS INTEGER)) AS asked, created_at
           FROM message_contexts WHERE id = :id AND workspace_id = :workspace_id""",
        id=source.source_id,
        workspace_id=source.workspace_id,
        chars=REFERENCED_TEXT_MAX_CHARS,
        asked_chars=QUESTION_READ_MAX_CHARS,
    )
    return [without_message_text(chunk, message) for chunk in chunks] if message else chunks


def without_message_text(chunk: Chunk, message: StoredMessage) -> Chunk:
    """Return a chunk without its text, its context and its summary, where its message gives the same."""
    context = message_context(message.title, message.asked, message.created_at)
    return replace(
        chunk,
        content="" if message.content[chunk.start_char : chunk.end_char] == chunk.content else chunk.content,
        context="" if context == chunk.context else chunk.context,
        summary=""
        if summarise_message(chunk.content, chunk.kind, chunk.language) == chunk.summary
        else chunk.summary,
    )


def summarise_message(content: str, kind: ChunkKind, language: str) -> str:
    """Return the line that says what a chunk of a message holds."""
    return summarise_chunk(content, kind=kind, language=language, context="")
