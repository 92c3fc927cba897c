"""The files of a conversation in its exported document, and back."""

import asyncio
import base64
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

from tertulia.conversations.domain import Conversation
from tertulia.conversations.export_documents import (
    EXPORT_FILES_MAX,
    EXPORT_FILES_MAX_BYTES,
    FileDocument,
    end_list,
    write_item,
)
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal
from tertulia.files import attachments
from tertulia.files.domain import File
from tertulia.files.metadata import FileMetadata
from tertulia.files.service import Files
from tertulia.infra.db import Database
from tertulia.infra.http.schema import shared_fields
from tertulia.projects import access as projects

#: A multiple of three: base64 of such blocks can be joined.
EXPORT_FILE_BLOCK_BYTES = 3 << 17
#: How an entry ends after the bytes of its file.
FILE_DATA_END = b'"\n    }'


async def stream_files(
    conversation_id: str, *, files: Files, db: Database, by: Principal
) -> AsyncGenerator[bytes]:
    """Yield the rest of the list of attachments, with their bytes as far as a document has room for them."""
    found = await db.read(
        lambda tx: attachments.list_page(tx, conversation_id, limit=EXPORT_FILES_MAX), by=by
    )
    room = EXPORT_FILES_MAX_BYTES
    before = "\n    "
    for file in found:
        has_room = file.size <= room
        room -= file.size if has_room else 0
        yield before.encode() + render_file_metadata(file, b"" if has_room else None)
        if has_room:
            async with aclosing(stream_base64(file, files=files, by=by)) as parts:
                async for part in parts:
                    yield part
            yield FILE_DATA_END
        before = ",\n    "
    yield end_list(found).encode()


def render_file_metadata(file: File, data: bytes | None) -> bytes:
    """Write what is known of a file; where its bytes follow, up to their opening quotation mark."""
    metadata: JsonObject = shared_fields(file, FileMetadata)
    metadata["summary"] = file.summary if file.summary_is_own else ""
    document = FileDocument(path=file.path, data=data, **metadata)
    text = write_item(document).encode()
    return text if data is None else text.removesuffix(FILE_DATA_END)


async def stream_base64(file: File, *, files: Files, by: Principal) -> AsyncGenerator[bytes]:
    """Yield the bytes of a file as base64."""
    with await files.contents.open(file.hash, by=by) as stream:
        while block := await asyncio.to_thread(stream.read, EXPORT_FILE_BLOCK_BYTES):
            yield base64.b64encode(block)


async def import_files(
    conversation: Conversation,
    documents: Sequence[FileDocument],
    *,
    files: Files,
    db: Database,
    by: Principal,
) -> None:
    """Attach the files of a checked document to a conversation."""
    kept = [document for document in documents if document.data is not None]
    if not kept:
        return
    project_id = conversation.project_id or (await db.write(projects.get_default, by=by)).id
    for file_document in kept:
        metadata = {
            name: value for name, value in shared_fields(file_document, FileMetadata).items() if value != ""
        }
        received = await files.receive(single_block(file_document.data or b""))
        await files.save(
            project_id,
            file_document.path,
            received,
            by=by,
            conversation_id=conversation.id,
            metadata=metadata,
        )


async def single_block(data: bytes) -> AsyncIterator[bytes]:
    """Give bytes as if they arrived."""
    yield data
