"""How the indexer gets at the text of what is to be found."""

from calendar import month_name

from tertulia.conversations.access import Utterance, find_utterance
from tertulia.core.errors import NotFound
from tertulia.files.texts import Texts
from tertulia.infra.db import Database
from tertulia.retrieval.indexer import Reader, Text, acting
from tertulia.retrieval.sources import SourceKind
from tertulia.retrieval.store import Source

#: How much of a question helps to find what was said after it.
LONGEST_QUESTION = 200


def around(said: Utterance) -> str:
    """Return what helps to find a message besides its words: title, the question before it, the month."""
    asked = " ".join((said.before or "").split())[:LONGEST_QUESTION]
    place = " · ".join(part for part in (said.title, asked) if part)
    return f"{place} ({month_name[said.created_at.month]} {said.created_at.year})".strip()


def readers(db: Database, texts: Texts) -> dict[SourceKind, Reader]:
    """Return what reads each kind of source."""

    async def read_file(source: Source) -> Text:
        found = await texts.pieces_of(source.source_id, acting(source))
        return Text(found.pieces, found.media, problem=found.problem)

    async def read_message(source: Source) -> Text:
        said = await db.read(lambda tx: find_utterance(tx, source.source_id), by=acting(source))
        if said is None:
            raise NotFound("message")
        return Text(iter((said.content,)), "markdown", context=around(said))

    return {SourceKind.FILE: read_file, SourceKind.MESSAGE: read_message}
