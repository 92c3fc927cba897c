"""Files that are attached to a conversation, over HTTP. One by one they are files of its project."""

from typing import Annotated

from fastapi import Query, Request

from tertulia.conversations.access import get_for_reading, get_for_writing
from tertulia.conversations.domain import Visibility
from tertulia.files import attachments
from tertulia.files.domain import File
from tertulia.files.routes.dependencies import FilesPart, IfMatch
from tertulia.files.routes.uploads import UPLOAD_FORMS, receive_upload
from tertulia.files.schemas import FileView, UploadView
from tertulia.files.upload_batch import UploadTarget
from tertulia.files.upload_limits import UPLOAD_BODY_LIMIT
from tertulia.infra.db import Tx
from tertulia.infra.http.body_limits import body_limit
from tertulia.infra.http.dependencies import Db
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import CursorPage, ValidUnicode
from tertulia.projects import access as projects

router = Router(prefix="/api/conversations/{conversation_id}/files", tags=["files"])


class AttachmentPage(CursorPage):
    """Some files that are attached to a conversation, by path, and who sees them with it."""

    visibility: Visibility
    files: list[FileView]


@router.get("")
async def list_attachments(
    conversation_id: str,
    me: Me,
    db: Db,
    after: Annotated[str, Query(max_length=4096), ValidUnicode] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> AttachmentPage:
    """List the files that are attached to a conversation."""

    def find(tx: Tx) -> tuple[Visibility, list[File]]:
        conversation = get_for_reading(tx, conversation_id)
        found = attachments.list_page(tx, conversation.id, after=after, limit=limit + 1)
        return conversation.visibility, found

    visibility, files = await db.read(find, by=me)
    return AttachmentPage(
        visibility=visibility,
        files=[FileView.model_validate(file) for file in files[:limit]],
        next=files[limit - 1].path if len(files) > limit else None,
    )


@router.post("", status_code=201, openapi_extra=UPLOAD_FORMS)
@body_limit(UPLOAD_BODY_LIMIT)
async def attach_files(
    *, conversation_id: str, request: Request, me: Member, db: Db, files: FilesPart, if_match: IfMatch = None
) -> UploadView:
    """Attach files, or one text as JSON. Those who may see the conversation see them, and nobody else.

    They lie in the folder `attachments`; the same name again becomes the next version.
    """

    def find_project(tx: Tx) -> str:
        conversation = get_for_writing(tx, conversation_id)
        return conversation.project_id or projects.get_default(tx).id

    project_id = await db.write(find_project, by=me)
    place = UploadTarget(project_id, conversation_id=conversation_id, if_match=if_match)
    return await receive_upload(request, place, files=files, by=me)
