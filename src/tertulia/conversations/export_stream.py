"""A conversation written down as one document, a little at a time: never all of it is in memory.

A fault in the middle is raised, so that the connection breaks off and nobody takes a part for the whole.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from tertulia.conversations import export
from tertulia.conversations.domain import Round
from tertulia.conversations.export import ExportBatch, ExportOutline, ExportSources
from tertulia.conversations.export_documents import RoundDocument, end_list, write_item
from tertulia.conversations.exported_files import stream_files
from tertulia.conversations.full_rounds import FullRound
from tertulia.conversations.markdown_export import head_blocks, round_blocks
from tertulia.conversations.message_pictures import load_images
from tertulia.core.principal import Principal
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx

#: How a document ends that has neither rounds nor files.
EMPTY_DOCUMENT_END = '"rounds": [],\n  "files": []\n}'


async def stream_json(
    outline: ExportOutline, *, db: Database, files: Files, by: Principal
) -> AsyncGenerator[bytes]:
    """Yield a conversation as JSON that imports back identically."""
    head = export.to_head_document(outline).model_dump_json(indent=2)
    yield f'{head.removesuffix(EMPTY_DOCUMENT_END)}"rounds": ['.encode()
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


async def stream_markdown(outline: ExportOutline, *, db: Database, by: Principal) -> AsyncGenerator[bytes]:
    """Yield the shown branch of a conversation as Markdown."""
    shown = outline.rounds_to_head()
    head = head_blocks(outline.conversation, shown_rounds=len(shown), total_rounds=len(outline.rounds))
    yield "\n\n".join(head).encode()
    async with aclosing(stream_rounds(outline, shown, render_round_markdown, db=db, by=by)) as rounds:
        async for text in rounds:
            yield f"\n\n{text}".encode()
    yield b"\n"


async def stream_rounds(
    outline: ExportOutline,
    wanted: Sequence[Round],
    render: Callable[[RoundDocument], str],
    *,
    db: Database,
    by: Principal,
) -> AsyncGenerator[str]:
    """Yield each of the wanted rounds as it is written."""
    for some in export.split_into_batches(wanted, outline.sizes):
        part = await db.read(lambda tx, some=some: export.read_export_batch(tx, outline, some), by=by)
        for full in part.rounds:
            yield await render_round_document(full, part, outline, render, db=db, by=by)


async def render_round_document(
    full: FullRound,
    batch: ExportBatch,
    outline: ExportOutline,
    render: Callable[[RoundDocument], str],
    *,
    db: Database,
    by: Principal,
) -> str:
    """Return one round as it is written, with its pictures."""
    ids = [round_attachment.id for round_attachment in export.round_attachments(full)]

    def read(tx: Tx) -> ExportSources:
        return ExportSources(outline.refs, load_images(tx, ids), batch)

    sources = await db.read(read, by=by) if ids else ExportSources(outline.refs, {}, batch)
    return await asyncio.to_thread(lambda: render(export.to_round_document(full, sources)))


def render_round_markdown(document: RoundDocument) -> str:
    """Write a round to be read."""
    return "\n\n".join(round_blocks(document))
