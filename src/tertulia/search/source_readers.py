"""How the indexer gets at the text of what is to be found."""

from calendar import month_name

from tertulia.conversations.access import IndexableMessage, find_indexable_message
from tertulia.core.errors import NotFound
from tertulia.files.file_texts import FileTexts
from tertulia.infra.db import Database
from tertulia.retrieval.indexer import ReadSource, SourceText, principal_for
from tertulia.retrieval.sources import IndexedSource, SourceKind

#: How much of a question helps to find what was said after it.
QUESTION_CONTEXT_MAX_CHARS = 200
#: So much of it is read for that, as it may be long, and may begin with blanks.
QUESTION_READ_MAX_CHARS = 2_000
#: Each look into the calendar would have the name written anew.
MONTH_NAMES = tuple(month_name)


def message_context(message: IndexableMessage) -> str:
    """Return what helps to find a message besides its words: title, the question before it, the month."""
    asked = " ".join((message.before or "").split())[:QUESTION_CONTEXT_MAX_CHARS]
    place = " · ".join(part for part in (message.title, asked) if part)
    return f"{place} ({MONTH_NAMES[message.created_at.month]} {message.created_at.year})".strip()


def build_source_readers(db: Database, texts: FileTexts) -> dict[SourceKind, ReadSource]:
    """Return what reads each kind of source."""

    async def read_file(source: IndexedSource) -> SourceText:
        found = await texts.stream_text(source.source_id, principal_for(source))
        return SourceText(found.pieces, found.media, problem=found.problem, page_lines=found.page_lines)

    async def read_message(source: IndexedSource) -> SourceText:
        said = await db.read(
            lambda tx: find_indexable_message(
                tx, source.source_id, question_max_chars=QUESTION_READ_MAX_CHARS
            ),
            by=principal_for(source),
        )
        if said is None:
            raise NotFound("message")
        return SourceText(iter((said.content,)), "markdown", context=message_context(said))

    return {SourceKind.FILE: read_file, SourceKind.MESSAGE: read_message}
