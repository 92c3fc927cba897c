"""Who wrote which tool and who used it, in the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tertulia.conversations import access as conversations
from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.files import access as file_access
from tertulia.files.domain import File
from tertulia.infra.db import Tx, bound_list
from tertulia.projects.visibility import in_visible_conversation_sql
from tertulia.tools.domain import ToolCaller

#: What was done in a conversation is seen by those who may see that.
USE_VISIBLE_SQL = in_visible_conversation_sql("tool_uses.conversation_id")


class ToolUseKind(StrEnum):
    """What was done with a tool."""

    WROTE = "wrote"
    USED = "used"


@dataclass(frozen=True, slots=True)
class RecordedToolUse:
    """A tool that was written or used, by a model for a person; `error` quotes no data."""

    file_id: str
    version: int
    kind: ToolUseKind
    user_id: str
    model: str
    failed: bool
    error: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NewToolUse:
    """A tool that was just written or used."""

    file_id: str
    version: int
    kind: ToolUseKind
    error: str = ""


@dataclass(frozen=True, slots=True)
class ToolUseCount:
    """How often a tool was used, and when last."""

    file_id: str
    times: int
    failures: int
    last_at: datetime


def add(tx: Tx, uses: Sequence[NewToolUse], caller: ToolCaller) -> None:
    """Write down what was done with tools; what was said with them goes with its conversation."""
    known = file_access.filter_existing(tx, {use.file_id for use in uses})
    is_conversation_known = bool(conversations.filter_existing(tx, {caller.conversation_id or ""}))
    tx.run_many(
        """INSERT INTO tool_uses (id, workspace_id, file_id, version, kind, conversation_id, user_id, model,
             failed, error, created_at)
           VALUES (:id, :workspace, :file_id, :version, :kind, :conversation, :me, :model,
             :failed, :error, :now)""",
        [
            {
                "id": new_id("use"),
                "file_id": use.file_id,
                "version": use.version,
                "kind": use.kind,
                "conversation": conversation_of(use, caller),
                "model": caller.model,
                "failed": bool(use.error),
                "error": use.error,
                "now": now(),
            }
            for use in uses
            if use.file_id in known and (not conversation_of(use, caller) or is_conversation_known)
        ],
    )


def conversation_of(use: NewToolUse, caller: ToolCaller) -> str | None:
    """Return the conversation that a use goes with: a tool that was written outlives it."""
    return caller.conversation_id if use.kind is ToolUseKind.USED else None


def count_uses(tx: Tx, file_ids: Sequence[str]) -> dict[str, ToolUseCount]:
    """Return how often each of these tools was used, as far as the caller may see it."""
    sql = f"""SELECT file_id, count(*) AS times, sum(failed) AS failures, max(created_at) AS last_at
        FROM tool_uses WHERE workspace_id = :workspace AND kind = 'used' AND file_id IN {bound_list("ids")}
        AND {USE_VISIBLE_SQL} GROUP BY file_id"""
    return {use_count.file_id: use_count for use_count in tx.all(ToolUseCount, sql, ids=list(file_ids))}


def list_recent(tx: Tx, file_id: str, *, limit: int) -> list[RecordedToolUse]:
    """Return who used a tool lately, newest first."""
    sql = f"""SELECT * FROM tool_uses WHERE workspace_id = :workspace AND file_id = :file AND kind = 'used'
        AND {USE_VISIBLE_SQL}
        ORDER BY id DESC LIMIT :limit"""
    return tx.all(RecordedToolUse, sql, file=file_id, limit=limit)


def find_last_error(tx: Tx, file_id: str) -> RecordedToolUse | None:
    """Return how a tool failed last for the caller: what others heard in their conversations is theirs."""
    sql = """SELECT * FROM tool_uses WHERE workspace_id = :workspace AND file_id = :file AND user_id = :me
        AND failed = 1
        AND (conversation_id IS NULL OR conversation_id NOT IN (SELECT id FROM deleted_conversations))
        ORDER BY id DESC LIMIT 1"""
    return tx.one(RecordedToolUse, sql, file=file_id)


def find_author(tx: Tx, file_id: str, version: int) -> RecordedToolUse | None:
    """Return which model wrote a version of a tool; None where a person did."""
    sql = """SELECT * FROM tool_uses WHERE workspace_id = :workspace AND file_id = :file
        AND version = :version AND kind = 'wrote' ORDER BY id LIMIT 1"""
    return tx.one(RecordedToolUse, sql, file=file_id, version=version)


def copy_author(tx: Tx, source: File, target: File) -> None:
    """Say of a version that the model wrote it which wrote the newest version of another file."""
    wrote = find_author(tx, source.id, source.version)
    if wrote is None or find_author(tx, target.id, target.version) is not None:
        return
    tx.run(
        """INSERT INTO tool_uses (id, workspace_id, file_id, version, kind, conversation_id, user_id, model,
             failed, error, created_at)
           VALUES (:id, :workspace, :file, :version, 'wrote', NULL, :user, :model, 0, '', :now)""",
        id=new_id("use"),
        file=target.id,
        version=target.version,
        user=wrote.user_id,
        model=wrote.model,
        now=now(),
    )
