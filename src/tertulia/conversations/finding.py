"""What is said is found from then on: by its owner, or by every member where the conversation is shared."""

from dataclasses import dataclass
from functools import partial

from tertulia.conversations import marks
from tertulia.conversations.domain import Conversation, Mark, Message, Origin, Visibility
from tertulia.core.principal import Principal
from tertulia.files import attachments
from tertulia.files.saving import index
from tertulia.infra.db import Database, Tx
from tertulia.retrieval import sources
from tertulia.retrieval.sources import NewSource, SourceKind

#: Rounds that are indexed anew when a conversation gets another title.
MOST_RETITLED = 200
MESSAGES_PER_SLICE = 50


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message was said."""

    project_id: str | None
    owner_id: str
    visibility: Visibility
    origin: Origin
    number: int


def make_findable(tx: Tx, message: Message) -> None:
    """Have a message indexed; what programs say through the API is theirs alone, and is not."""
    place = tx.one(
        Place,
        """SELECT c.project_id, c.owner_id, c.visibility, c.origin, r.number FROM conversations AS c
           JOIN rounds AS r ON r.conversation_id = c.id
           WHERE r.id = :round AND c.workspace_id = :workspace AND c.deleted_at IS NULL""",
        round=message.round_id,
    )
    if place is None or place.origin is Origin.API or not message.content.strip():
        return
    sources.queue(
        tx,
        NewSource(
            kind=SourceKind.MESSAGE,
            source_id=message.id,
            project_id=place.project_id,
            conversation_id=message.conversation_id,
            owner_id=finder(place.owner_id, place.visibility),
            media="markdown",
            speaker=message.speaker,
            round_id=message.round_id,
            round_number=place.number,
            said_at=message.created_at,
        ),
    )


def share_or_hide(tx: Tx, conversation: Conversation) -> None:
    """Let what was said be found by those who may see the conversation now."""
    sources.change_owner(tx, conversation.id, finder(conversation.owner_id, conversation.visibility))


def hide(tx: Tx, conversation_id: str) -> None:
    """Let nothing be found that was said in a conversation."""
    sources.forget_conversation(tx, conversation_id)


def find_again(tx: Tx, conversation_id: str) -> None:
    """Let everything be found again that was said in a conversation, or attached to it."""
    sql = "SELECT * FROM messages WHERE conversation_id = :id AND workspace_id = :workspace"
    for message in tx.all(Message, sql, id=conversation_id):
        make_findable(tx, message)
    for marked in marks.in_conversation(tx, conversation_id):
        if marked.mark is Mark.LOCAL_ONLY:
            sources.keep_local(tx, SourceKind.MESSAGE, marked.message_id, local_only=True)
    for file in attachments.every(tx, conversation_id):
        index(tx, file)


async def find_in_slices(db: Database, conversation_id: str, *, by: Principal) -> None:
    """Let everything be found that was said in a conversation, a few messages in each transaction."""
    after = ""
    while True:
        last = await db.write(partial(_find_some, conversation_id=conversation_id, after=after), by=by)
        if last is None:
            return
        after = last


def _find_some(tx: Tx, *, conversation_id: str, after: str) -> str | None:
    """Let the messages after one be found, and return the last of them; None when there is none."""
    sql = """SELECT * FROM messages WHERE conversation_id = :id AND workspace_id = :workspace
        AND id > :after ORDER BY id LIMIT :limit"""
    some = tx.all(Message, sql, id=conversation_id, after=after, limit=MESSAGES_PER_SLICE)
    marked = marks.of(tx, [message.id for message in some])
    for message in some:
        make_findable(tx, message)
        if Mark.LOCAL_ONLY in marked.get(message.id, ()):
            sources.keep_local(tx, SourceKind.MESSAGE, message.id, local_only=True)
    return some[-1].id if some else None


def find_by_title(tx: Tx, conversation: Conversation) -> None:
    """Let what was said be found by its conversation's new title; in a very long one that is not worth it."""
    if conversation.round_count <= MOST_RETITLED:
        sources.title_changed(tx, conversation.id)


def finder(owner_id: str, visibility: Visibility) -> str | None:
    """Return who alone may find what was said; None for every member."""
    return None if visibility is Visibility.WORKSPACE else owner_id
