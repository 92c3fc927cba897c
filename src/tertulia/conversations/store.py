"""Conversations in the database."""

from datetime import datetime
from typing import Any

from tertulia.conversations.access import VISIBLE_TO_CALLER_SQL
from tertulia.conversations.domain import Anchor, Conversation, Origin, TitleBy
from tertulia.core.clock import now
from tertulia.core.errors import NotFound
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
    title_by: TitleBy = TitleBy.PERSON,
    instructions: str = "",
) -> Conversation:
    """Add an empty conversation of the caller's."""
    added = tx.one(
        Conversation,
        """INSERT INTO conversations (id, workspace_id, owner_id, project_id, anchor, anchor_id,
             origin, title, title_by, instructions, created_at, updated_at, sort_key)
           VALUES (:id, :workspace, :me, :project_id, :anchor, :anchor_id, :origin, :title,
             :title_by, :instructions, :now, :now, :sort_key) RETURNING *""",
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
    )
    assert added is not None  # noqa: S101 - an INSERT that does not raise returns its row
    return added


def get(tx: Tx, conversation_id: str) -> Conversation:
    """Return a conversation whoever may see it: for work that was begun while its author could."""
    if conversation := find(tx, conversation_id):
        return conversation
    raise NotFound("conversation")


def find(tx: Tx, conversation_id: str) -> Conversation | None:
    """Return a conversation whoever may see it, deleted or not."""
    sql = "SELECT * FROM conversations WHERE id = :id AND workspace_id = :workspace"
    return tx.one(Conversation, sql, id=conversation_id)


def change(tx: Tx, conversation_id: str, **values: Any) -> None:
    """Set the given columns of a conversation."""
    sets = ", ".join(f"{column} = :{column}" for column in values)
    tx.run(
        f"UPDATE conversations SET {sets} WHERE id = :id AND workspace_id = :workspace",
        id=conversation_id,
        **values,
    )


def mark_used(tx: Tx, conversation_id: str, *, at: datetime, **values: Any) -> str:
    """Make a conversation the latest used, set the given columns too, and return its new sort key."""
    sort_key = new_ulid()
    change(tx, conversation_id, updated_at=at, sort_key=sort_key, **values)
    return sort_key


def delete(tx: Tx, conversation_id: str) -> None:
    """Delete a conversation with its rounds, messages and replies."""
    tx.run("DELETE FROM conversations WHERE id = :id AND workspace_id = :workspace", id=conversation_id)


def list_page(
    tx: Tx,
    *,
    project_id: str | None = None,
    archived: bool = False,
    pinned: bool | None = None,
    origins: tuple[Origin, ...] = (Origin.APP, Origin.IMPORT),
    search: str = "",
    after: str | None = None,
    limit: int = 50,
) -> list[Conversation]:
    """Return conversations that the caller may see, the latest used first."""
    wanted = [VISIBLE_TO_CALLER_SQL, f"archived_at IS {'NOT ' if archived else ''}NULL"]
    wanted.append("origin IN ({})".format(", ".join(f"'{origin}'" for origin in origins)))
    if project_id is not None:
        wanted.append("project_id = :project_id")
    if pinned is not None:
        wanted.append(f"pinned_at IS {'NOT ' if pinned else ''}NULL")
    if search:
        wanted.append("lower(title) LIKE :search ESCAPE '\\'")
    if after is not None:
        wanted.append("sort_key < :after")
    return tx.all(
        Conversation,
        f"""SELECT * FROM conversations WHERE {" AND ".join(wanted)}
            ORDER BY sort_key DESC LIMIT :limit""",
        project_id=project_id,
        search=f"%{escape_like(search.lower())}%",
        after=after,
        limit=limit,
    )


def find_latest(tx: Tx) -> Conversation | None:
    """Return the caller's own conversation that was used last."""
    return tx.one(
        Conversation,
        """SELECT * FROM conversations WHERE workspace_id = :workspace AND owner_id = :me
           AND deleted_at IS NULL AND archived_at IS NULL AND origin <> 'api'
           ORDER BY sort_key DESC LIMIT 1""",
    )


def escape_like(text: str) -> str:
    """Make any text stand for itself inside LIKE."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
