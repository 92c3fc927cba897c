"""How the indexer gets at the text of what is to be found."""

from tertulia.conversations.access import find_utterance
from tertulia.core.errors import NotFound
from tertulia.files.texts import Texts
from tertulia.infra.db import Database
from tertulia.retrieval.indexer import Reader, Text, acting
from tertulia.retrieval.sources import SourceKind
from tertulia.retrieval.store import Source

#: How much of a question helps to find its answers.
LONGEST_QUESTION = 200


def readers(db: Database, texts: Texts) -> dict[SourceKind, Reader]:
    """Return what reads each kind of source."""

    async def read_file(source: Source) -> Text:
        found = await texts.pieces_of(source.source_id, acting(source))
        return Text(found.pieces, found.media, problem=found.problem)

    async def read_message(source: Source) -> Text:
        said = await db.read(lambda tx: find_utterance(tx, source.source_id), by=acting(source))
        if said is None:
            raise NotFound("message")
        asked = " ".join((said.question or "").split())[:LONGEST_QUESTION]
        return Text(iter((said.content,)), "markdown", context=asked)

    return {SourceKind.FILE: read_file, SourceKind.MESSAGE: read_message}
