"""What is said is found from then on: by its owner, or by every member where the conversation is shared."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from time import monotonic

from tertulia.conversations import marks
from tertulia.conversations.domain import Conversation, Mark, Message, Origin, Visibility
from tertulia.conversations.message_columns import message_columns
from tertulia.conversations.reversal_sentences import REVERSAL_READ_MAX_CHARS
from tertulia.conversations.reversals import record_reversals
from tertulia.core.principal import Principal
from tertulia.files import attachments
from tertulia.files.file_writer import index_file
from tertulia.infra.db import Database, Tx
from tertulia.retrieval import sources
from tertulia.retrieval.sources import NewSource, SourceKind

#: Rounds that are indexed anew when a conversation gets another title.
RETITLED_ROUNDS_MAX = 200
#: Queued in one transaction of some two milliseconds.
INDEX_BATCH_MESSAGES = 25
#: What is read of a message to tell whether it says anything or takes something back: not all of a long one.
INDEXED_COLUMNS = message_columns(max_chars=REVERSAL_READ_MAX_CHARS)


@dataclass(frozen=True, slots=True)
class MessageScope:
    """Where a message was said."""

    project_id: str | None
    owner_id: str
    visibility: Visibility
    origin: Origin
    number: int
    deleted_at: datetime | None

    @classmethod
    def of(cls, conversation: Conversation, number: int) -> "MessageScope":
        """Return the scope of what is said in a round of a conversation."""
        return cls(
            conversation.project_id,
            conversation.owner_id,
            conversation.visibility,
            conversation.origin,
            number,
            conversation.deleted_at,
        )


def index_message(tx: Tx, message: Message, *, scope: MessageScope | None = None) -> None:
    """Have a message indexed; what programs say through the API is theirs alone, and is not."""
    scope = scope or find_scope(tx, message.round_id)
    if scope is None or scope.deleted_at or scope.origin is Origin.API or is_blank(message.content):
        return
    record_reversals(tx, message, round_number=scope.number)
    sources.queue_source(
        tx,
        NewSource(
            kind=SourceKind.MESSAGE,
            source_id=message.id,
            project_id=scope.project_id,
            conversation_id=message.conversation_id,
            owner_id=index_owner(scope.owner_id, scope.visibility),
            media="markdown",
            speaker=message.speaker,
            round_id=message.round_id,
            round_number=scope.number,
            said_at=message.created_at,
        ),
    )


def is_blank(text: str) -> bool:
    """Tell whether a text says nothing."""
    return not text or text.isspace()


def find_scope(tx: Tx, round_id: str) -> MessageScope | None:
    """Return where the messages of a round were said."""
    sql = """SELECT c.project_id, c.owner_id, c.visibility, c.origin, r.number, c.deleted_at
        FROM conversations AS c JOIN rounds AS r ON r.conversation_id = c.id
        WHERE r.id = :round AND c.workspace_id = :workspace"""
    return tx.one(MessageScope, sql, round=round_id)


def update_index_owner(tx: Tx, conversation: Conversation) -> None:
    """Let what was said be found by those who may see the conversation now."""
    sources.set_conversation_owner(
        tx, conversation.id, index_owner(conversation.owner_id, conversation.visibility)
    )


def remove_from_index(tx: Tx, conversation_id: str) -> None:
    """Let nothing be found that was said in a conversation."""
    sources.remove_conversation(tx, conversation_id)


def reindex_conversation(tx: Tx, conversation_id: str) -> None:
    """Let everything be found again that was said in a conversation, or attached to it."""
    sql = f"SELECT {INDEXED_COLUMNS} FROM messages WHERE conversation_id = :id AND workspace_id = :workspace"
    for message in tx.all(Message, sql, id=conversation_id):
        index_message(tx, message)
    for marked in marks.list_marks(tx, conversation_id):
        if marked.mark is Mark.LOCAL_ONLY:
            sources.set_local_only(tx, SourceKind.MESSAGE, marked.message_id, local_only=True)
    sources.queue_summaries(tx, conversation_id)
    for file in attachments.list_all(tx, conversation_id):
        index_file(tx, file)


async def index_in_batches(db: Database, conversation_id: str, *, by: Principal) -> None:
    """Let everything be found that was said in a conversation, a few messages in each transaction.

    After each, others may write for as long as it took.
    """
    after = ""
    while True:
        began = monotonic()
        last = await db.write(partial(_index_batch, conversation_id=conversation_id, after=after), by=by)
        if last is None:
            return
        after = last
        await asyncio.sleep(monotonic() - began)


def _index_batch(tx: Tx, *, conversation_id: str, after: str) -> str | None:
    """Let the messages after one be found, and return the last of them; None when there is none."""
    sql = f"""SELECT {INDEXED_COLUMNS} FROM messages WHERE conversation_id = :id AND workspace_id = :workspace
        AND id > :after ORDER BY id LIMIT :limit"""
    some = tx.all(Message, sql, id=conversation_id, after=after, limit=INDEX_BATCH_MESSAGES)
    marked = marks.find_marks(tx, [message.id for message in some])
    for message in some:
        index_message(tx, message)
        if Mark.LOCAL_ONLY in marked.get(message.id, ()):
            sources.set_local_only(tx, SourceKind.MESSAGE, message.id, local_only=True)
    return some[-1].id if some else None


def reindex_title(tx: Tx, conversation: Conversation) -> None:
    """Let what was said be found by its conversation's new title; in a very long one that is not worth it."""
    if conversation.round_count <= RETITLED_ROUNDS_MAX:
        sources.requeue_conversation(tx, conversation.id)


def index_owner(owner_id: str, visibility: Visibility) -> str | None:
    """Return who alone may find what was said; None for every member."""
    return None if visibility is Visibility.WORKSPACE else owner_id
