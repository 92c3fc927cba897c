"""How the indexer gets at the text of what is to be found."""

from tertulia.conversations.access import find_indexable_message
from tertulia.core.errors import NotFound
from tertulia.files.file_texts import FileTexts
from tertulia.infra.db import Database
from tertulia.retrieval.indexer import ReadSource, SourceText, principal_for
from tertulia.retrieval.message_texts import QUESTION_READ_MAX_CHARS, message_context
from tertulia.retrieval.sources import IndexedSource, SourceKind


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
        return SourceText(
            iter((said.content,)),
            "markdown",
            context=message_context(said.title, said.before, said.created_at),
        )

    return {SourceKind.FILE: read_file, SourceKind.MESSAGE: read_message}
