"""Conversations in the database."""

from dataclasses import replace
from datetime import datetime

from tertulia.conversations.domain import Anchor, Conversation, Origin, TitleBy
from tertulia.core.clock import now
from tertulia.core.ids import new_id, new_ulid
from tertulia.infra.db import Tx


def add(
    tx: Tx,
    *,
    project_id: str | None,
    anchor: Anchor,
    anchor_id: str | None = None,
    origin: Origin = Origin.APP,
    title: str | None = None,
    title_by: str = TitleBy.PERSON,
    instructions: str = "",
    expires_at: datetime | None = None,
) -> Conversation:
    """Add an empty conversation of the caller's."""
    return tx.only(
        Conversation,
        """INSERT INTO conversations (id, workspace_id, owner_id, project_id, anchor, anchor_id,
             origin, title, title_by, instructions, created_at, updated_at, sort_key, expires_at)
           VALUES (:id, :workspace, :me, :project_id, :anchor, :anchor_id, :origin, :title,
             :title_by, :instructions, :now, :now, :sort_key, :expires_at) RETURNING *""",
        id=new_id("cnv"),
        project_id=project_id,
        anchor=anchor,
        anchor_id=anchor_id,
        origin=origin,
        title=title,
        title_by=title_by if title else TitleBy.NOBODY,
        instructions=instructions,
        now=now(),
        sort_key=new_ulid(),
        expires_at=expires_at,
    )


def change(tx: Tx, conversation_id: str, **values: object) -> None:
    """Set the given columns of a conversation."""
    sets = ", ".join(f"{column} = :{column}" for column in values)
    tx.run(
        f"UPDATE conversations SET {sets} WHERE id = :id AND workspace_id = :workspace",
        id=conversation_id,
        **values,
    )


def mark_used(
    tx: Tx, conversation: Conversation, *, at: datetime, new_round_id: str | None = None
) -> Conversation:
    """Make a conversation the latest used, show its new round if it has one, and return it as it is then."""
    used = replace(
        conversation,
        updated_at=at,
        sort_key=new_ulid(),
        head_id=new_round_id or conversation.head_id,
        round_count=conversation.round_count + bool(new_round_id),
    )
    change(
        tx,
        used.id,
        updated_at=used.updated_at,
        sort_key=used.sort_key,
        head_id=used.head_id,
        round_count=used.round_count,
    )
    return used


def delete(tx: Tx, conversation_id: str) -> None:
    """Delete a conversation with its rounds, messages and replies."""
    tx.run("DELETE FROM conversations WHERE id = :id AND workspace_id = :workspace", id=conversation_id)
