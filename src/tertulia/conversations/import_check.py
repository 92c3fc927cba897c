"""Reading an exported conversation: every doubt about a file is raised here, before anything is written."""

from pydantic import ValidationError

from tertulia.conversations.attachments import PictureInvalid, PictureTooLarge, check_picture
from tertulia.conversations.domain import Policy
from tertulia.conversations.errors import ImportUnreadable
from tertulia.conversations.export_schemas import VERSION, ConversationDocument, RoundDocument


def read_document(body: bytes) -> ConversationDocument:
    """Return the conversation that a file holds, or raise `ImportUnreadable`."""
    try:
        document = ConversationDocument.model_validate_json(body, strict=True)
    except ValidationError as error:
        raise unreadable(error) from error
    check_names(document)
    check_tree(document)
    for round_ in document.rounds:
        check_continuations(round_)
        check_pictures(round_)
    return document


def unreadable(error: ValidationError) -> ImportUnreadable:
    """Say what is wrong with a file, and where."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if where == "format":
        return ImportUnreadable("This is not a conversation exported from Tertulia: see its `format`.")
    if where == "version":
        return ImportUnreadable(f"Only version {VERSION} of the export can be read here. Update the server.")
    return wrong(where or "the file", f"{first['msg']}")


def wrong(where: str, what: str) -> ImportUnreadable:
    """Return the error that names a place in a file and what is wrong with it."""
    return ImportUnreadable(
        f"The file cannot be imported; nothing was changed. {where}: {what}.", where=where
    )


def check_names(document: ConversationDocument) -> None:
    """Raise when two rounds or two messages have the same name."""
    seen: set[str] = set()
    for round_ in document.rounds:
        for ref in (round_.ref, *messages_in(round_)):
            if ref in seen:
                raise wrong(ref, "this name is given twice")
            seen.add(ref)


def check_tree(document: ConversationDocument) -> None:
    """Raise unless every round follows a message of a round before it in the list, and the head is one."""
    known: set[str] = set()
    questions: set[str] = set()
    for round_ in document.rounds:
        if round_.parent is not None and round_.parent not in known:
            raise wrong(round_.ref, f"its parent {round_.parent} is in no round listed before it")
        if round_.policy is Policy.CHOSEN and (round_.parent is None or round_.parent in questions):
            raise wrong(round_.ref, "with the policy `chosen` its parent must be a reply")
        questions.add(round_.question.ref)
        known.update(messages_in(round_))
    if (document.head is None) != (not document.rounds):
        raise wrong("head", "it must name a round, and be null when there is none")
    if document.head is not None and document.head not in {round_.ref for round_ in document.rounds}:
        raise wrong("head", f"there is no round {document.head}")


def check_continuations(round_: RoundDocument) -> None:
    """Raise unless replies only continue other replies of their round, and none goes in a circle."""
    replies = {reply.ref: reply for reply in round_.replies}
    for reply in round_.replies:
        if reply.continues is not None and reply.continues not in replies:
            raise wrong(reply.ref, f"it continues {reply.continues}, which is no reply of its round")
    sound: set[str] = set()
    for reply in round_.replies:
        passed: set[str] = set()
        ref: str | None = reply.ref
        while ref is not None and ref not in sound:
            if ref in passed:
                raise wrong(reply.ref, "it continues itself")
            passed.add(ref)
            ref = replies[ref].continues
        sound |= passed


def check_pictures(round_: RoundDocument) -> None:
    """Raise unless every attachment is a picture of the kind it says."""
    for number, one in enumerate(round_.question.attachments, 1):
        where = f"{round_.question.ref}, attachment {number}"
        try:
            mime = check_picture(one.data).mime
        except (PictureInvalid, PictureTooLarge) as error:
            raise wrong(where, error.message.rstrip(".")) from error
        if mime != one.mime:
            raise wrong(where, f"it is {mime}, not {one.mime[:40]!r}")


def messages_in(round_: RoundDocument) -> list[str]:
    """Return the names of a round's messages."""
    return [round_.question.ref, *(reply.ref for reply in round_.replies)]
