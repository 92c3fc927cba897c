"""What a person is told of the files and conversations that a reply was written from.

Whoever may see a source is told where it stands. Whoever may not is told that there is one, and
nothing by which it could be named: a shared conversation may quote private ones. That is decided
whenever it is told, for either can be shared or hidden later. A source that is deleted counts as
one that nobody may see, but for a file of the project: its path stays known, its headings do not.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from tertulia.conversations.access import find_visible_titles
from tertulia.conversations.domain import Passage, Reply, VisibleToolCall
from tertulia.files.access import find_visibility
from tertulia.files.attachments import ATTACHMENTS_FOLDER
from tertulia.infra.db import Tx

FILE_SOURCE_KIND = "file"


@dataclass(frozen=True, slots=True)
class SourceAccess:
    """Which conversations and files the caller may see, among those that were looked up."""

    #: The titles of the conversations.
    titles: Mapping[str, str]
    #: Those files that there are.
    files: Mapping[str, bool]

    def can_see(self, *, conversation_id: str | None, file_id: str | None, path: str) -> bool:
        """Tell whether the caller may see a file, or what was said or attached in a conversation."""
        if conversation_id and conversation_id not in self.titles:
            return False
        # A deleted file may have been attached to any conversation, unless that is known or its path says no.
        was_open = bool(conversation_id) or not path.startswith(ATTACHMENTS_FOLDER)
        return not file_id or self.files.get(file_id, was_open)


def find_source_access(
    tx: Tx, *, conversation_ids: Collection[str | None], file_ids: Collection[str | None]
) -> SourceAccess:
    """Return which of these sources the caller may see."""
    conversations, files = set(filter(None, conversation_ids)), set(filter(None, file_ids))
    return SourceAccess(
        titles=find_visible_titles(tx, sorted(conversations)) if conversations else {},
        files=find_visibility(tx, files) if files else {},
    )


def redact_passages(tx: Tx, passages: Sequence[Passage]) -> list[Passage]:
    """Return passages as the caller may see them: with titles, or without all that names their source."""
    access = find_source_access(
        tx,
        conversation_ids={passage.conversation_id for passage in passages},
        file_ids={passage.source_id for passage in passages if passage.kind == FILE_SOURCE_KIND},
    )
    return [redact_passage(passage, access) for passage in passages]


def redact_passage(passage: Passage, access: SourceAccess) -> Passage:
    """Return one passage as the caller may see it."""
    file_id = passage.source_id if passage.kind == FILE_SOURCE_KIND else None
    if not access.can_see(conversation_id=passage.conversation_id, file_id=file_id, path=passage.path):
        return hide_source(passage)
    title = access.titles.get(passage.conversation_id or "", "")
    is_deleted = file_id is not None and file_id not in access.files
    return replace(passage, title=title, heading="" if is_deleted else passage.heading)


def hide_source(passage: Passage) -> Passage:
    """Return a passage without all that names its source: it counts, and can be cited."""
    return Passage(
        number=passage.number,
        kind=passage.kind,
        source_id="",
        project_id=None,
        start_char=0,
        end_char=0,
        tokens=passage.tokens,
        is_pointer=passage.is_pointer,
        is_hidden=True,
    )


def redact_sources(tx: Tx, replies: Sequence[Reply]) -> list[Reply]:
    """Return replies with passages and calls as the caller may see them. They are to be read, not stored."""
    shown = iter(redact_passages(tx, [passage for reply in replies for passage in reply.passages]))
    return [
        replace(
            reply,
            passages=[next(shown) for _ in reply.passages],
            tool_calls=[redact_call(tx, call) for call in reply.tool_calls],
        )
        for reply in replies
    ]


def redact_call(tx: Tx, call: VisibleToolCall) -> VisibleToolCall:
    """Return a call as the caller may see it: what it comes to is told in words of the person who is asked.

    Those name what is that person's alone, such as an event that was never to be deleted.
    """
    return replace(call, summary="") if is_summary_of_another(tx, call.asked_by) else call


def is_summary_of_another(tx: Tx, asked_by: str) -> bool:
    """Tell whether the summary of a call is for another person than the caller."""
    return bool(asked_by) and asked_by != tx.by.user_id
