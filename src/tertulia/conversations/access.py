"""Who may see and change a conversation: fetched and authorised in one step."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from tertulia.conversations.domain import Conversation, Message, Reply, Round
from tertulia.conversations.message_columns import MESSAGE_COLUMNS_WITHOUT_TEXTS, REPLY_COLUMNS
from tertulia.core.errors import NotAllowed, NotFound
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Tx, bound_list, bound_rows
from tertulia.projects.visibility import CONVERSATION_VISIBLE_SQL, conversation_visible_to_sql

PartT = TypeVar("PartT", Round, Reply, Message)


@dataclass(frozen=True, slots=True)
class ConversationTitle:
    """A conversation and what it is called."""

    id: str
    title: str


VISIBLE_TO_CALLER_SQL = CONVERSATION_VISIBLE_SQL


def get_for_reading(tx: Tx, conversation_id: str) -> Conversation:
    """Return a conversation that the caller may see."""
    sql = f"SELECT * FROM conversations WHERE id = :id AND {VISIBLE_TO_CALLER_SQL}"
    if conversation := tx.one(Conversation, sql, id=conversation_id):
        return conversation
    raise NotFound("conversation")


def get_unchecked(tx: Tx, conversation_id: str) -> Conversation:
    """Return a conversation whoever may see it: for work that was begun while its author could."""
    if conversation := find_unchecked(tx, conversation_id):
        return conversation
    raise NotFound("conversation")


def find_unchecked(tx: Tx, conversation_id: str) -> Conversation | None:
    """Return a conversation whoever may see it, deleted or not."""
    sql = "SELECT * FROM conversations WHERE id = :id AND workspace_id = :workspace"
    return tx.one(Conversation, sql, id=conversation_id)


def check_readable(tx: Tx, conversation_id: str) -> None:
    """Raise unless the caller may see a conversation."""
    sql = f"SELECT 1 FROM conversations WHERE id = :id AND {VISIBLE_TO_CALLER_SQL}"
    if tx.value(sql, id=conversation_id) is None:
        raise NotFound("conversation")


def find_readable(tx: Tx, reads: Collection[tuple[Principal, str]]) -> frozenset[tuple[Principal, str]]:
    """Return those pairs of a member and a conversation in which the member may see it: for housekeeping."""
    pairs = list(reads)
    sql = f"""SELECT r.position
        FROM {bound_rows("reads", "for_workspace", "for_user", "conversation_id")} AS r
        JOIN conversations ON conversations.id = r.conversation_id
        WHERE conversations.id IN {bound_list("ids")}
        AND {conversation_visible_to_sql(workspace="r.for_workspace", user="r.for_user")}"""
    rows = [(by.workspace_id, by.user_id, conversation_id) for by, conversation_id in pairs]
    ids = [conversation_id for _, conversation_id in pairs]
    return (
        frozenset(pairs[int(place)] for place in tx.column(sql, reads=rows, ids=ids)) if rows else frozenset()
    )


def find_visible_titles(tx: Tx, conversation_ids: Iterable[str]) -> dict[str, str]:
    """Return the titles of those conversations that the caller may see."""
    sql = f"""SELECT id, coalesce(title, '') AS title FROM conversations
        WHERE {VISIBLE_TO_CALLER_SQL} AND id IN {bound_list("ids")}"""
    return {
        conversation_title.id: conversation_title.title
        for conversation_title in tx.all(ConversationTitle, sql, ids=list(conversation_ids))
    }


def filter_existing(tx: Tx, conversation_ids: Collection[str]) -> frozenset[str]:
    """Return those of these ids that are conversations, whoever may see them, deleted or not."""
    sql = f"SELECT id FROM conversations WHERE workspace_id = :workspace AND id IN {bound_list('ids')}"
    return frozenset(tx.column(sql, ids=sorted(conversation_ids)))


def get_for_writing(tx: Tx, conversation_id: str) -> Conversation:
    """Return a conversation that the caller may speak in."""
    conversation = get_for_reading(tx, conversation_id)
    tx.by.require(Role.MEMBER)
    return conversation


def get_for_managing(tx: Tx, conversation_id: str) -> Conversation:
    """Return a conversation that the caller may rename, share, archive or delete."""
    conversation = get_for_writing(tx, conversation_id)
    if conversation.owner_id != tx.by.user_id and not tx.by.role.covers(Role.ADMIN):
        raise NotAllowed("Only the owner of a conversation, or an admin, can change it.")
    return conversation


def get_round(tx: Tx, round_id: str) -> Round:
    """Return a round of a conversation that the caller may see."""
    return _get_part(tx, Round, "SELECT * FROM rounds WHERE id = :id AND workspace_id = :workspace", round_id)


def get_reply(tx: Tx, reply_id: str) -> Reply:
    """Return a reply in a conversation that the caller may see."""
    sql = f"SELECT {REPLY_COLUMNS} FROM replies WHERE id = :id AND workspace_id = :workspace"
    return _get_part(tx, Reply, sql, reply_id)


def get_message_without_texts(tx: Tx, message_id: str) -> Message:
    """Return a message of a conversation that the caller may see, but for what it says."""
    columns = MESSAGE_COLUMNS_WITHOUT_TEXTS
    sql = f"SELECT {columns} FROM messages WHERE id = :id AND workspace_id = :workspace"
    return _get_part(tx, Message, sql, message_id)


def _get_part(tx: Tx, shape: type[PartT], sql: str, part_id: str) -> PartT:
    """Return a thing unless its conversation is hidden: then it is not there either."""
    what = shape.__name__.lower()
    part = tx.one(shape, sql, id=part_id)
    if part is None:
        raise NotFound(what)
    try:
        check_readable(tx, part.conversation_id)
    except NotFound:
        raise NotFound(what) from None
    return part


@dataclass(frozen=True, slots=True)
class IndexableMessage:
    """What a message says, when and where, and the question before it: its own, or the round's before."""

    content: str
    created_at: datetime
    title: str | None
    before: str | None


def find_indexable_message(tx: Tx, message_id: str, *, question_max_chars: int) -> IndexableMessage | None:
    """Return what a message says and the beginning of the question before it.

    Whoever may see it: this is for the index, which keeps to that by itself.
    """
    return tx.one(
        IndexableMessage,
        """SELECT m.content, m.created_at, c.title,
             substr(CASE WHEN p.speaker = 'user' THEN p.content ELSE q.content END, 1,
               CAST(:chars AS INTEGER)) AS before
           FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
           LEFT JOIN messages AS p ON p.id = m.parent_id LEFT JOIN messages AS q ON q.id = p.parent_id
           WHERE m.id = :id AND m.workspace_id = :workspace""",
        id=message_id,
        chars=question_max_chars,
    )
