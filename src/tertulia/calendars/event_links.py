"""Links between events and conversations: seen by the owner of an event who may see the conversation too."""

from dataclasses import dataclass

from tertulia.calendars.domain import EventLink, EventLinkKind
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx
from tertulia.projects.visibility import of_visible_conversation_sql


@dataclass(frozen=True, slots=True)
class StoredEventLink:
    """A link with the event that it belongs to."""

    object_id: str
    message_id: str | None


def add(tx: Tx, object_id: str, link: EventLink, kind: EventLinkKind) -> None:
    """Link an event to a conversation that the caller may see; to do so twice changes nothing."""
    check_visible(tx, link)
    sql = """SELECT 1 FROM event_links WHERE object_id = :object AND conversation_id = :conversation
        AND coalesce(message_id, '') = coalesce(:message, '') AND kind = :kind
        AND workspace_id = :workspace"""
    values = {"object": object_id, "conversation": link.conversation_id, "message": link.message_id}
    if tx.value(sql, kind=kind, **values) is None:
        tx.run(
            """INSERT INTO event_links (id, workspace_id, object_id, conversation_id, message_id, kind)
               VALUES (:id, :workspace, :object, :conversation, :message, :kind)""",
            id=new_id("eln"),
            kind=kind,
            **values,
        )


def check_visible(tx: Tx, link: EventLink) -> None:
    """Raise unless the caller may see the conversation of a link, and its message stands there."""
    sql = f"SELECT 1 WHERE {of_visible_conversation_sql(':conversation')} AND :workspace <> ''"
    if tx.value(sql, conversation=link.conversation_id) is None:
        raise NotFound("conversation")
    if link.message_id is not None:
        sql = """SELECT 1 FROM message_places
            WHERE id = :message AND conversation_id = :conversation AND workspace_id = :workspace"""
        values = {"message": link.message_id, "conversation": link.conversation_id}
        if tx.value(sql, **values) is None:
            raise NotFound("message")


def list_created(tx: Tx, conversation_id: str) -> list[StoredEventLink]:
    """Return the caller's events that a conversation made, oldest first, if they may see it."""
    sql = f"""SELECT l.object_id, l.message_id FROM event_links AS l
        JOIN calendar_objects AS o ON o.id = l.object_id AND o.workspace_id = :workspace
        WHERE l.workspace_id = :workspace AND l.conversation_id = :conversation AND l.kind = :kind
        AND o.owner_id = :me AND {of_visible_conversation_sql(":conversation")} ORDER BY l.id"""
    return tx.all(StoredEventLink, sql, conversation=conversation_id, kind=EventLinkKind.CREATED)
