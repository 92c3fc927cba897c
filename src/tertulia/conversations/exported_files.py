"""The files of a conversation in its exported document, and back."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from tertulia.conversations.domain import Conversation
from tertulia.conversations.export_schemas import FILES_MAX_BYTES, FILES_MAX_COUNT, FileDocument
from tertulia.core.principal import Principal
from tertulia.files import attachments
from tertulia.files.domain import File
from tertulia.files.schemas import FileMetadata
from tertulia.files.service import Files
from tertulia.infra.db import Database
from tertulia.infra.http.schema import shared
from tertulia.projects import store as projects


async def export_files(
    conversation_id: str, *, files: Files, db: Database, by: Principal
) -> list[FileDocument]:
    """Return the attachments of a conversation, with their bytes as far as a document has room for them."""
    found = await db.read(lambda tx: attachments.page(tx, conversation_id, limit=FILES_MAX_COUNT), by=by)
    documents: list[FileDocument] = []
    room = FILES_MAX_BYTES
    for file in found:
        data = await read_whole(file, files=files, by=by) if file.size <= room else None
        room -= len(data or b"")
        metadata: dict[str, Any] = shared(file, FileMetadata)
        metadata["summary"] = file.summary if file.summary_is_own else ""
        documents.append(FileDocument(path=file.path, data=data, **metadata))
    return documents


async def read_whole(file: File, *, files: Files, by: Principal) -> bytes:
    """Return the bytes of a file."""
    with await files.contents.open(file.hash, by=by) as stream:
        return await asyncio.to_thread(stream.read)


async def import_files(
    conversation: Conversation,
    documents: Sequence[FileDocument],
    *,
    files: Files,
    db: Database,
    by: Principal,
) -> None:
    """Attach the files of a checked document to a conversation."""
    kept = [one for one in documents if one.data is not None]
    if not kept:
        return
    project_id = conversation.project_id or (await db.write(projects.get_default, by=by)).id
    for one in kept:
        metadata = {name: value for name, value in shared(one, FileMetadata).items() if value != ""}
        received = await files.receive(in_one(one.data or b""))
        await files.save(
            project_id, one.path, received, by=by, conversation_id=conversation.id, metadata=metadata
        )


async def in_one(data: bytes) -> AsyncIterator[bytes]:
    """Give bytes as if they arrived."""
    yield data
