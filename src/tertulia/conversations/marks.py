"""What people say of single messages: always show it to models, never, or only to local ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tertulia.conversations.access import get_for_writing, get_message_without_texts
from tertulia.conversations.domain import USER_SPEAKER, Mark, Message
from tertulia.conversations.events import MessageMarked, encode_event
from tertulia.conversations.follow_up_jobs import queue_context_of_round
from tertulia.conversations.message_columns import MESSAGE_COLUMNS_WITHOUT_TEXTS
from tertulia.core.clock import now
from tertulia.infra.db import Tx, bound_list
from tertulia.infra.events import EventLog
from tertulia.retrieval import sources
from tertulia.retrieval.sources import SourceKind

#: A message cannot be wanted in every prompt and in none.
CONTRARY_MARKS = {Mark.PINNED: Mark.EXCLUDED, Mark.EXCLUDED: Mark.PINNED}


@dataclass(frozen=True, slots=True)
class MessageMark:
    """A message and one of its marks."""

    message_id: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class MarkedMessage:
    """A message that has a mark; a question has no lane."""

    id: str
    content: str
    round_id: str
    number: int
    lane: str | None
    #: Who asked in its round.
    author_id: str


def change_marks(tx: Tx, message_id: str, changes: Mapping[Mark, bool], *, log: EventLog) -> list[Mark]:
    """Set and remove marks of a message that the caller may speak about, and return those it has then."""
    message = get_message_without_texts(tx, message_id)
    get_for_writing(tx, message.conversation_id)
    return set_marks(tx, message, changes, log=log)


def set_marks(tx: Tx, message: Message, changes: Mapping[Mark, bool], *, log: EventLog) -> list[Mark]:
    """Set and remove marks of a message, whoever may see it, and return those it has then."""
    changed = {message.id: message}
    for mark, on in changes.items():
        if not on:
            _remove_mark(tx, message, mark)
            continue
        add_mark(tx, message, mark)
        if mark is Mark.LOCAL_ONLY and message.speaker == USER_SPEAKER:
            # An answer may say again what was asked.
            changed |= {reply.id: reply for reply in _replies_to(tx, message)}
            for marked_message in changed.values():
                add_mark(tx, marked_message, mark)
    marks = find_marks(tx, list(changed))
    news = [encode_event(MessageMarked(id_, marks.get(id_, []))) for id_ in changed]
    log.append(tx, message.conversation_id, news)
    return marks.get(message.id, [])


def _replies_to(tx: Tx, question: Message) -> list[Message]:
    sql = f"""SELECT {MESSAGE_COLUMNS_WITHOUT_TEXTS} FROM messages
        WHERE round_id = :round AND workspace_id = :workspace AND id <> :id"""
    return tx.all(Message, sql, round=question.round_id, id=question.id)


def add_mark(tx: Tx, message: Message, mark: Mark) -> None:
    """Mark a message; the mark that says the contrary goes."""
    if mark in CONTRARY_MARKS:
        _remove_mark(tx, message, CONTRARY_MARKS[mark])
    tx.run(
        """INSERT INTO message_marks (message_id, mark, workspace_id, conversation_id, created_at)
           VALUES (:id, :mark, :workspace, :conversation, :now) ON CONFLICT (message_id, mark) DO NOTHING""",
        id=message.id,
        mark=mark,
        conversation=message.conversation_id,
        now=now(),
    )
    if mark is Mark.LOCAL_ONLY:
        _set_local_only(tx, message, local_only=True)


def _remove_mark(tx: Tx, message: Message, mark: Mark) -> None:
    sql = "DELETE FROM message_marks WHERE message_id = :id AND mark = :mark AND workspace_id = :workspace"
    found = tx.change(sql, id=message.id, mark=mark)
    if mark is Mark.LOCAL_ONLY:
        _set_local_only(tx, message, local_only=False)
    if mark is Mark.EXCLUDED and found:
        queue_context_of_round(tx, message.conversation_id, message.round_id)


def _set_local_only(tx: Tx, message: Message, *, local_only: bool) -> None:
    """Keep a message, and the points that come from it, from embedders elsewhere, or let them go there."""
    sources.set_local_only(tx, SourceKind.MESSAGE, message.id, local_only=local_only)
    sources.update_local_only_summaries(tx, message.conversation_id)


def find_marks(tx: Tx, message_ids: Sequence[str]) -> dict[str, list[Mark]]:
    """Return the marks of those messages that have any."""
    if not message_ids:
        return {}
    sql = f"""SELECT message_id, mark FROM message_marks WHERE workspace_id = :workspace
        AND message_id IN {bound_list("ids")} ORDER BY mark"""
    found: dict[str, list[Mark]] = {}
    for message_mark in tx.all(MessageMark, sql, ids=list(message_ids)):
        found.setdefault(message_mark.message_id, []).append(message_mark.mark)
    return found


def find_conversations_with_local_only(tx: Tx, conversation_ids: Iterable[str]) -> frozenset[str]:
    """Return the conversations with words for local models alone: their titles may be made of those."""
    sql = f"""SELECT DISTINCT conversation_id FROM message_marks WHERE workspace_id = :workspace
        AND mark = 'local_only' AND conversation_id IN {bound_list("ids")}"""
    return frozenset(tx.column(sql, ids=list(conversation_ids)))


def list_marks(tx: Tx, conversation_id: str) -> list[MessageMark]:
    """Return all marks of a conversation's messages."""
    sql = """SELECT message_id, mark FROM message_marks
        WHERE conversation_id = :conversation AND workspace_id = :workspace"""
    return tx.all(MessageMark, sql, conversation=conversation_id)


def find_marked_messages(tx: Tx, conversation_id: str, mark: Mark) -> list[MarkedMessage]:
    """Return what the messages of a conversation say that have a mark, oldest first."""
    return tx.all(
        MarkedMessage,
        """SELECT m.id, m.content, m.round_id, r.number, p.lane, r.author_id FROM message_marks AS k
           JOIN messages AS m ON m.id = k.message_id JOIN rounds AS r ON r.id = m.round_id
           LEFT JOIN replies AS p ON p.id = m.id
           WHERE k.conversation_id = :conversation AND k.mark = :mark AND k.workspace_id = :workspace
           ORDER BY m.id""",
        conversation=conversation_id,
        mark=mark,
    )
