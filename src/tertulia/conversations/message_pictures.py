"""What messages carry besides text. For now: pictures."""

from dataclasses import dataclass

from tertulia.conversations import tool_runs
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.domain import Attachment
from tertulia.core.clock import now
from tertulia.core.errors import Invalid, NotFound, TooLarge
from tertulia.core.ids import new_id
from tertulia.core.image_header import detect_image_mime
from tertulia.infra.db import Tx, bound_list
from tertulia.models.calls import MODEL_IMAGE_TYPES, Image

PICTURE_MAX_BYTES = 5_000_000


class PictureInvalid(Invalid):
    """What was sent is not a picture that models can see."""

    code = "picture_invalid"

    def __init__(self) -> None:
        super().__init__("Pictures must be PNG, JPEG, GIF or WebP, sent as base64.")


class PictureTooLarge(TooLarge):
    """A picture is larger than we keep."""

    code = "picture_too_large"

    def __init__(self) -> None:
        super().__init__(f"A picture may have at most {PICTURE_MAX_BYTES // 1_000_000} MB.")


@dataclass(frozen=True, slots=True)
class StoredAttachment:
    """An attachment with its bytes."""

    id: str
    conversation_id: str
    mime: str
    data: bytes


def check_picture(data: bytes) -> Image:
    """Return bytes as a picture of the kind they really are, or raise."""
    if len(data) > PICTURE_MAX_BYTES:
        raise PictureTooLarge
    mime = detect_image_mime(data)
    if mime not in MODEL_IMAGE_TYPES:
        raise PictureInvalid
    return Image(mime, data)


def add_attachment(tx: Tx, conversation_id: str, image: Image) -> Attachment:
    """Keep a picture with a conversation."""
    attachment = Attachment(new_id("att"), image.mime, len(image.data))
    tx.run(
        """INSERT INTO attachments (id, workspace_id, conversation_id, mime, size, data, created_at)
           VALUES (:id, :workspace, :conversation, :mime, :size, :data, :now)""",
        id=attachment.id,
        conversation=conversation_id,
        mime=image.mime,
        size=attachment.size,
        data=image.data,
        now=now(),
    )
    return attachment


def get_attachment(tx: Tx, attachment_id: str) -> StoredAttachment:
    """Return an attachment of a conversation that the caller may see, and all that it was drawn from."""
    sql = "SELECT * FROM attachments WHERE id = :id AND workspace_id = :workspace"
    found = tx.one(StoredAttachment, sql, id=attachment_id)
    if found is None:
        raise NotFound("attachment")
    try:
        get_for_reading(tx, found.conversation_id)
    except NotFound:
        raise NotFound("attachment") from None
    if not tool_runs.may_see_figure(tx, found.conversation_id, found.id):
        raise NotFound("attachment")
    return found


def load_images(tx: Tx, attachment_ids: list[str]) -> dict[str, Image]:
    """Return the pictures with these ids."""
    sql = f"SELECT * FROM attachments WHERE workspace_id = :workspace AND id IN {bound_list('ids')}"
    found = tx.all(StoredAttachment, sql, ids=attachment_ids)
    return {
        stored_attachment.id: Image(stored_attachment.mime, stored_attachment.data)
        for stored_attachment in found
    }
