"""Tools with side effects that a person has allowed for good: everywhere, or in one conversation."""

from dataclasses import dataclass
from datetime import datetime

from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx
from tertulia.projects.visibility import in_visible_conversation_sql


@dataclass(frozen=True, slots=True)
class Grant:
    """A tool that may run without asking."""

    id: str
    tool: str
    #: Only there; None for everywhere.
    conversation_id: str | None
    created_at: datetime


def add(tx: Tx, tool: str, conversation_id: str | None) -> None:
    """Allow a tool for the caller from now on."""
    tx.run(
        """INSERT INTO tool_grants (id, workspace_id, user_id, conversation_id, tool, created_at)
           VALUES (:id, :workspace, :me, :conversation, :tool, :now) ON CONFLICT DO NOTHING""",
        id=new_id("grt"),
        conversation=conversation_id,
        tool=tool,
        now=now(),
    )


def is_allowed(tx: Tx, tool: str, conversation_id: str) -> bool:
    """Tell whether the caller lets a tool run in a conversation without being asked."""
    sql = """SELECT count(*) FROM tool_grants WHERE workspace_id = :workspace AND user_id = :me
        AND tool = :tool AND (conversation_id IS NULL OR conversation_id = :conversation)"""
    return bool(tx.value(sql, tool=tool, conversation=conversation_id))


def list_of_caller(tx: Tx) -> list[Grant]:
    """Return what the caller has allowed, everywhere or in a conversation that they may see, newest first."""
    sql = f"""SELECT * FROM tool_grants WHERE workspace_id = :workspace AND user_id = :me
        AND {in_visible_conversation_sql("tool_grants.conversation_id")}
        ORDER BY id DESC"""
    return tx.all(Grant, sql)


def revoke(tx: Tx, grant_id: str) -> None:
    """Have the caller asked again before that tool runs."""
    sql = "DELETE FROM tool_grants WHERE id = :id AND workspace_id = :workspace AND user_id = :me"
    if not tx.change(sql, id=grant_id):
        raise NotFound("grant")
