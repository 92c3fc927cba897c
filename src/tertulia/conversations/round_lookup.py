"""What other features ask of replies, rounds and messages whose ids or moments they know."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from tertulia.conversations.domain import USER_SPEAKER
from tertulia.infra.db import Tx, bound_list


@dataclass(frozen=True, slots=True)
class ReplyPlace:
    """A reply, the conversation it stands in, and whether that is deleted."""

    id: str
    conversation_id: str
    is_deleted: bool


@dataclass(frozen=True, slots=True)
class NumberedRound:
    """A round and its number."""

    id: str
    number: int


@dataclass(frozen=True, slots=True)
class SpokenText:
    """What a message says."""

    id: str
    speaker: str
    content: str


@dataclass(frozen=True, slots=True)
class MessageOpening:
    """The first words of a message."""

    id: str
    words: str


def find_openings(tx: Tx, message_ids: Iterable[str], *, max_chars: int) -> dict[str, str]:
    """Return the first characters of messages, by their ids."""
    sql = f"""SELECT id, substr(content, 1, {max_chars:d}) AS words FROM messages
        WHERE workspace_id = :workspace AND id IN {bound_list("ids")}"""
    found = tx.all(MessageOpening, sql, ids=list(message_ids))
    return {opening.id: opening.words for opening in found}


def find_reply_places(tx: Tx, reply_ids: Iterable[str]) -> dict[str, ReplyPlace]:
    """Return where those ids stand that are replies'."""
    sql = f"""SELECT id, conversation_id,
          conversation_id IN (SELECT id FROM deleted_conversations) AS is_deleted
        FROM replies WHERE workspace_id = :workspace AND id IN {bound_list("ids")}"""
    return {place.id: place for place in tx.all(ReplyPlace, sql, ids=list(reply_ids))}


def find_followed_rounds(tx: Tx, conversation_id: str, round_ids: Collection[str]) -> frozenset[str]:
    """Return those of some rounds that another of them follows, on whichever branch."""
    sql = f"""WITH RECURSIVE earlier (id) AS (
          SELECT parent_id FROM rounds
          WHERE id IN {bound_list("ids")} AND conversation_id = :conversation AND workspace_id = :workspace
          UNION
          SELECT r.parent_id FROM rounds AS r JOIN earlier AS e ON r.id = e.id)
        SELECT id FROM earlier WHERE id IN {bound_list("ids")}"""
    return frozenset(tx.column(sql, conversation=conversation_id, ids=sorted(round_ids)))


def has_reply_under_way(tx: Tx, conversation_id: str) -> bool:
    """Tell whether a reply of a conversation waits to be written or is being written."""
    sql = """SELECT 1 FROM replies WHERE conversation_id = :id AND workspace_id = :workspace
        AND status IN ('queued', 'running') LIMIT 1"""
    return tx.value(sql, id=conversation_id) is not None


def find_rounds_answered_since(
    tx: Tx, conversation_id: str, moment: datetime, *, up_to: int, also: str
) -> dict[str, int]:
    """Return the rounds up to a number in which a model spoke since a moment, and one more, by number."""
    found = tx.all(
        NumberedRound,
        """SELECT DISTINCT r.id, r.number FROM messages AS m JOIN rounds AS r ON r.id = m.round_id
           WHERE m.conversation_id = :conversation AND m.workspace_id = :workspace AND r.number <= :up_to
           AND (r.id = :also OR (m.created_at >= :moment AND m.speaker <> :user AND m.content <> ''))""",
        conversation=conversation_id,
        up_to=up_to,
        also=also,
        moment=moment,
        user=USER_SPEAKER,
    )
    return {round_.id: round_.number for round_ in found}


def find_spoken_texts(tx: Tx, message_ids: Iterable[str]) -> dict[str, SpokenText]:
    """Return what messages say, by their ids, whoever may see them."""
    sql = f"""SELECT id, speaker, content FROM messages
        WHERE workspace_id = :workspace AND id IN {bound_list("ids")}"""
    return {message.id: message for message in tx.all(SpokenText, sql, ids=list(message_ids))}
