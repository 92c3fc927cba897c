"""What must hold of an exported conversation: every doubt is raised here, before anything is written."""

from tertulia.conversations.domain import Policy
from tertulia.conversations.errors import ImportUnreadable
from tertulia.conversations.export_documents import ConversationDocument, RoundDocument
from tertulia.conversations.message_pictures import PictureInvalid, PictureTooLarge, check_picture
from tertulia.files.attachments import attachment_path
from tertulia.files.errors import PathInvalid
from tertulia.files.paths import normalise


def unreadable_at(where: str, problem: str) -> ImportUnreadable:
    """Return the error that names a place in a file and what is wrong with it."""
    return ImportUnreadable(
        f"The file cannot be imported; nothing was changed. {where}: {problem}.", where=where
    )


def check_files(document: ConversationDocument) -> None:
    """Raise when a file has a path that cannot be used, or that another has."""
    seen: set[str] = set()
    for file in document.files:
        try:
            path = normalise(attachment_path(file.path))
        except PathInvalid as error:
            raise unreadable_at("files", error.message) from error
        if path in seen:
            raise unreadable_at("files", f"{path} is there twice")
        seen.add(path)


class ImportCheck:
    """Checks rounds in the order of the file, and in the end what is around them."""

    def __init__(self) -> None:
        self._refs: set[str] = set()
        self._questions: set[str] = set()

    def add(self, round_: RoundDocument) -> None:
        """Check the next round against those before it."""
        self._check_parent(round_)
        self._claim_refs(round_)
        check_continuations(round_)
        check_pictures(round_)

    def finish(self, document: ConversationDocument) -> None:
        """Check that the branch that is shown ends in one of the rounds, and that files have paths."""
        check_files(document)
        if (document.head is None) != (not self._refs):
            raise unreadable_at("head", "it must name a round, and be null when there is none")
        if document.head is not None and document.head not in self._refs:
            raise unreadable_at("head", f"there is no round {document.head}")

    def _check_parent(self, round_: RoundDocument) -> None:
        """Raise unless a round follows a message of a round before it in the list."""
        if round_.parent is not None and round_.parent not in self._refs:
            raise unreadable_at(round_.ref, f"its parent {round_.parent} is in no round listed before it")
        if round_.policy is Policy.CHOSEN and (round_.parent is None or round_.parent in self._questions):
            raise unreadable_at(round_.ref, "with the policy `chosen` its parent must be a reply")
        self._questions.add(round_.question.ref)

    def _claim_refs(self, round_: RoundDocument) -> None:
        """Raise when two rounds or two messages have the same name."""
        for ref in (round_.ref, *message_refs(round_)):
            if ref in self._refs:
                raise unreadable_at(ref, "this name is given twice")
            self._refs.add(ref)


def check_continuations(round_: RoundDocument) -> None:
    """Raise unless replies only continue other replies of their round, and none goes in a circle."""
    replies = {reply.ref: reply for reply in round_.replies}
    for reply in round_.replies:
        if reply.continues is not None and reply.continues not in replies:
            raise unreadable_at(reply.ref, f"it continues {reply.continues}, which is no reply of its round")
    sound: set[str] = set()
    for reply in round_.replies:
        passed: set[str] = set()
        ref: str | None = reply.ref
        while ref is not None and ref not in sound:
            if ref in passed:
                raise unreadable_at(reply.ref, "it continues itself")
            passed.add(ref)
            ref = replies[ref].continues
        sound |= passed


def check_pictures(round_: RoundDocument) -> None:
    """Raise unless every attachment is a picture of the kind it says."""
    for number, attachment in enumerate(round_.question.attachments, 1):
        where = f"{round_.question.ref}, attachment {number}"
        try:
            mime = check_picture(attachment.data).mime
        except (PictureInvalid, PictureTooLarge) as error:
            raise unreadable_at(where, error.message.rstrip(".")) from error
        if mime != attachment.mime:
            raise unreadable_at(where, f"it is {mime}, not {attachment.mime[:40]!r}")


def message_refs(round_: RoundDocument) -> list[str]:
    """Return the names of a round's messages."""
    return [round_.question.ref, *(reply.ref for reply in round_.replies)]
