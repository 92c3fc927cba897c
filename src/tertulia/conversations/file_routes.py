"""Files that are attached to a conversation, over HTTP. One by one they are files of its project."""

from typing import Annotated

from fastapi import Query, Request

from tertulia.conversations.access import get_for_reading, get_for_writing
from tertulia.conversations.domain import Visibility
from tertulia.files import attachments
from tertulia.files.batch import Place
from tertulia.files.body import UPLOAD
from tertulia.files.domain import File
from tertulia.files.routes.parts import IfMatch, Shelf
from tertulia.files.routes.uploading import UPLOAD_FORMS, receive_upload
from tertulia.files.schemas import FileView, UploadView
from tertulia.infra.db import Tx
from tertulia.infra.http.body import body_limit
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.parts import Db
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import Clean, Page
from tertulia.projects import store as projects

router = Router(prefix="/api/conversations/{conversation_id}/files", tags=["files"])


class AttachmentPage(Page):
    """Some files that are attached to a conversation, by path, and who sees them with it."""

    visibility: Visibility
    files: list[FileView]


@router.get("")
async def list_attachments(
    conversation_id: str,
    me: Me,
    db: Db,
    after: Annotated[str, Query(max_length=4096), Clean] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> AttachmentPage:
    """List the files that are attached to a conversation."""

    def find(tx: Tx) -> tuple[Visibility, list[File]]:
        conversation = get_for_reading(tx, conversation_id)
        found = attachments.page(tx, conversation.id, after=after, limit=limit + 1)
        return conversation.visibility, found

    visibility, files = await db.read(find, by=me)
    return AttachmentPage(
        visibility=visibility,
        files=[FileView.model_validate(file) for file in files[:limit]],
        next=files[limit - 1].path if len(files) > limit else None,
    )


@router.post("", status_code=201, openapi_extra=UPLOAD_FORMS)
@body_limit(UPLOAD)
async def attach_files(
    *, conversation_id: str, request: Request, me: Member, db: Db, files: Shelf, if_match: IfMatch = None
) -> UploadView:
    """Attach files, or one text as JSON. Those who may see the conversation see them, and nobody else.

    They lie in the folder `attachments`; the same name again becomes the next version.
    """

    def find_project(tx: Tx) -> str:
        conversation = get_for_writing(tx, conversation_id)
        return conversation.project_id or projects.get_default(tx).id

    project_id = await db.write(find_project, by=me)
    place = Place(project_id, conversation_id=conversation_id, if_match=if_match)
    return await receive_upload(request, place, files=files, by=me)
