"""Who said messages: a lane, or a person."""

from collections.abc import Iterable
from dataclasses import dataclass

from tertulia.infra.db import Tx, bound_list


@dataclass(frozen=True, slots=True)
class MessageOrigin:
    """A message, and who said it: the lane of a reply, or the person who asked."""

    id: str
    lane: str | None
    #: Empty for a reply.
    author_id: str


def find_origins(tx: Tx, message_ids: Iterable[str]) -> dict[str, MessageOrigin]:
    """Return who said each message."""
    sql = f"""SELECT m.id, p.lane, CASE WHEN p.id IS NULL THEN r.author_id ELSE '' END AS author_id
        FROM messages AS m JOIN rounds AS r ON r.id = m.round_id LEFT JOIN replies AS p ON p.id = m.id
        WHERE m.workspace_id = :workspace AND m.id IN {bound_list("ids")}"""
    return {origin.id: origin for origin in tx.all(MessageOrigin, sql, ids=list(message_ids))}


def find_author_ids(tx: Tx, message_ids: Iterable[str]) -> dict[str, str]:
    """Return the people who wrote those messages that are no replies."""
    found = find_origins(tx, message_ids)
    return {id_: origin.author_id for id_, origin in found.items() if origin.author_id}
