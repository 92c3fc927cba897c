"""A conversation written down as one document, a little at a time: never all of it is in memory.

A fault in the middle is raised, so that the connection breaks off and nobody takes a part for the whole.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from tertulia.conversations import export
from tertulia.conversations.attachments import images_of
from tertulia.conversations.domain import Round
from tertulia.conversations.export import Outline, Slice, Sources
from tertulia.conversations.export_schemas import RoundDocument, end_list, write_item
from tertulia.conversations.exported_files import stream_files
from tertulia.conversations.markdown import head_parts, round_parts
from tertulia.conversations.rounds import FullRound
from tertulia.core.principal import Principal
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx

#: How a document ends that has neither rounds nor files.
EMPTY_LISTS = '"rounds": [],\n  "files": []\n}'


async def stream_json(
    outline: Outline, *, db: Database, files: Files, by: Principal
) -> AsyncGenerator[bytes]:
    """Yield a conversation as JSON that imports back identically."""
    head = export.head_document(outline).model_dump_json(indent=2)
    yield f'{head.removesuffix(EMPTY_LISTS)}"rounds": ['.encode()
    before = "\n    "
    async with aclosing(stream_rounds(outline, outline.rounds, write_item, db=db, by=by)) as rounds:
        async for text in rounds:
            yield f"{before}{text}".encode()
            before = ",\n    "
    yield f'{end_list(outline.rounds)},\n  "files": ['.encode()
    async with aclosing(stream_files(outline.conversation.id, files=files, db=db, by=by)) as parts:
        async for part in parts:
            yield part
    yield b"\n}\n"


async def stream_markdown(outline: Outline, *, db: Database, by: Principal) -> AsyncGenerator[bytes]:
    """Yield the shown branch of a conversation as Markdown."""
    shown = outline.shown_rounds()
    head = head_parts(outline.conversation, shown=len(shown), in_all=len(outline.rounds))
    yield "\n\n".join(head).encode()
    async with aclosing(stream_rounds(outline, shown, write_markdown, db=db, by=by)) as rounds:
        async for text in rounds:
            yield f"\n\n{text}".encode()
    yield b"\n"


async def stream_rounds(
    outline: Outline,
    wanted: Sequence[Round],
    write: Callable[[RoundDocument], str],
    *,
    db: Database,
    by: Principal,
) -> AsyncGenerator[str]:
    """Yield each of the wanted rounds as it is written."""
    for some in export.slices(wanted, outline.sizes):
        part = await db.read(lambda tx, some=some: export.read_slice(tx, outline, some), by=by)
        for full in part.rounds:
            yield await write_round(full, part, outline, write, db=db, by=by)


async def write_round(
    full: FullRound,
    part: Slice,
    outline: Outline,
    write: Callable[[RoundDocument], str],
    *,
    db: Database,
    by: Principal,
) -> str:
    """Return one round as it is written, with its pictures."""
    ids = [one.id for one in export.attachments_of(full)]

    def read(tx: Tx) -> Sources:
        return Sources(outline.refs, images_of(tx, ids), part)

    sources = await db.read(read, by=by) if ids else Sources(outline.refs, {}, part)
    return await asyncio.to_thread(lambda: write(export.round_document(full, sources)))


def write_markdown(document: RoundDocument) -> str:
    """Write a round to be read."""
    return "\n\n".join(round_parts(document))
