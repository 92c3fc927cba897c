"""Exporting and importing conversations over HTTP."""

from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Request, Response

from tertulia.conversations.export import read_outline
from tertulia.conversations.export_documents import ConversationDocument, ExportFormat
from tertulia.conversations.export_stream import stream_json, stream_markdown
from tertulia.conversations.import_batches import import_received
from tertulia.conversations.markdown_export import ascii_file_name, export_file_name
from tertulia.conversations.views import ConversationView
from tertulia.core.errors import TooLarge
from tertulia.files.routes.dependencies import FilesPart
from tertulia.files.spool import Spool
from tertulia.infra.http.body_limits import BodyLimit, body_limit
from tertulia.infra.http.dependencies import Config, Db, Log
from tertulia.infra.http.identity import Auth, Me, Member
from tertulia.infra.http.revocable_response import RevocableResponse, while_allowed
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import Schema, ValidUnicode

IMPORT_MAX_BYTES = 100_000_000
EXPORT_MEDIA_TYPES = {
    ExportFormat.JSON: "application/json",
    ExportFormat.MARKDOWN: "text/markdown; charset=utf-8",
}
EXPORT_FILE_EXTENSIONS = {ExportFormat.JSON: "json", ExportFormat.MARKDOWN: "md"}

router = Router(prefix="/api", tags=["conversations"])


class ImportTooLarge(TooLarge):
    """A file is larger than we read."""

    code = "import_too_large"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"A conversation to import may have at most {max_bytes // 1_000_000} MB.")


IMPORT_BODY_LIMIT = BodyLimit(IMPORT_MAX_BYTES, refusal=ImportTooLarge)


class ExportChoice(Schema):
    """How a conversation shall be exported."""

    format: ExportFormat = ExportFormat.JSON


@router.post(
    "/conversations/{conversation_id}/export",
    response_class=Response,
    responses={
        200: {"model": ConversationDocument, "content": {"text/markdown": {"schema": {"type": "string"}}}}
    },
)
async def export_conversation(
    conversation_id: str,
    me: Me,
    db: Db,
    files: FilesPart,
    authenticator: Auth,
    body: ExportChoice | None = None,
) -> Response:
    """Return a conversation as a file: JSON that imports back identically, or Markdown to read."""
    form = body.format if body else ExportFormat.JSON
    outline = await db.read(lambda tx: read_outline(tx, conversation_id), by=me)
    name = export_file_name(outline.conversation.title, EXPORT_FILE_EXTENSIONS[form])
    if form is ExportFormat.JSON:
        content = stream_json(outline, db=db, files=files, by=me)
    else:
        content = stream_markdown(outline, db=db, by=me)
    headers = {"Content-Disposition": content_disposition(name), "X-Content-Type-Options": "nosniff"}
    allowed = while_allowed(content, by=me, authenticator=authenticator)
    return RevocableResponse(allowed, media_type=EXPORT_MEDIA_TYPES[form], headers=headers)


@router.post(
    "/conversations/import",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/ConversationDocument"}}
            },
        }
    },
)
@body_limit(IMPORT_BODY_LIMIT)
async def import_document(
    request: Request,
    me: Member,
    db: Db,
    log: Log,
    settings: Config,
    files: FilesPart,
    project_id: Annotated[str | None, Query(max_length=60), ValidUnicode] = None,
) -> ConversationView:
    """Add an exported conversation to one's own: all of it, or nothing when anything is wrong with it."""
    spool = Spool(settings.data_dir / "incoming", max_bytes=IMPORT_MAX_BYTES)
    received = await spool.receive(request.stream())
    try:
        added = await import_received(
            received, spool, files=files, db=db, log=log, by=me, project_id=project_id
        )
    finally:
        await received.discard()
    return ConversationView.of(added)


def content_disposition(name: str) -> str:
    """Return the header that names a file, in plain letters and in all its own."""
    return f"attachment; filename=\"{ascii_file_name(name)}\"; filename*=UTF-8''{quote(name, safe='')}"
