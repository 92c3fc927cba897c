"""The calls of tools in the database: written down before they run, and as they end."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tertulia.conversations.access import find_visible_titles
from tertulia.conversations.domain import (
    Attachment,
    Reply,
    SavedFile,
    Table,
    ToolStatus,
    VisibleToolCall,
    WrittenItem,
)
from tertulia.core.clock import now
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx, bound_list, escape_like

#: So much of a result is shown to people; all of it is kept.
SHOWN_RESULT_MAX_CHARS = 4_000
#: What stands in the place of a result that quotes a conversation which the reader may not open.
HIDDEN_RESULT = "(It quotes a conversation that you cannot open.)"
#: What stands in the place of a result that is for another person alone.
PRIVATE_RESULT = "(Only the person who asked can read this.)"
#: What a trigger puts in the place of a result once something that it quotes is deleted for good.
ERASED_RESULT = "What this quoted was deleted."


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One call of a tool."""

    reply_id: str
    id: str
    step: int
    place: int
    at: int
    name: str
    arguments: str
    changed: bool
    effect: str
    status: ToolStatus
    result: str
    length: int
    local_only: bool
    #: Other conversations of which the result quotes what was said or is attached there.
    quotes: list[str]
    ms: int | None
    attachments: list[Attachment]
    tables: list[Table]
    saved: list[SavedFile]
    user_id: str
    decided_by: str | None
    expires_at: datetime | None
    created_at: datetime
    #: What it comes to, as a person reads it.
    summary: str = ""
    #: Tasks and events that it wrote.
    written: list[WrittenItem] = field(default_factory=list[WrittenItem])
    #: What it gave is for nobody but the person on whose behalf it ran.
    is_private: bool = False

    @property
    def is_read_apart(self) -> bool:
        """Tell whether what it gave is not for every reader of its conversation."""
        return bool(self.quotes) or self.is_private

    def to_visible_call(self) -> VisibleToolCall:
        """Return it as every reader of its conversation may see it: what quotes another is fetched apart."""
        return VisibleToolCall(
            id=self.id,
            name=self.name,
            arguments=self.arguments,
            changed=self.changed,
            step=self.step,
            at=self.at,
            effect=self.effect,
            status=self.status,
            result="" if self.is_read_apart else self.result[:SHOWN_RESULT_MAX_CHARS],
            length=self.length,
            ms=self.ms,
            attachments=[] if self.is_read_apart else self.attachments,
            tables=[] if self.is_read_apart else self.tables,
            saved=self.saved,
            asked_by=self.user_id,
            expires_at=self.expires_at,
            summary=self.summary,
            written=self.written,
        )


@dataclass(frozen=True, slots=True)
class ToolStep:
    """What a model said before it called the tools of a step."""

    step: int
    text: str
    thought: list[JsonObject] = field(default_factory=list[JsonObject])


def add_step(
    tx: Tx, reply: Reply, step: ToolStep, runs: Sequence[ToolRun], *, project_id: str | None
) -> None:
    """Write down a step and its calls, before any of them runs."""
    tx.run(
        """INSERT INTO tool_steps (reply_id, step, workspace_id, text, thought)
           VALUES (:reply, :step, :workspace, :text, :thought)""",
        reply=reply.id,
        step=step.step,
        text=step.text,
        thought=step.thought,
    )
    tx.run_many(
        """INSERT INTO tool_runs (reply_id, id, workspace_id, conversation_id, project_id, user_id, model,
             step, place, at, name, arguments, effect, status, expires_at, created_at, summary)
           VALUES (:reply_id, :id, :workspace, :conversation, :project, :me, :model, :step, :place, :at,
             :name, :arguments, :effect, :status, :expires_at, :now, :summary)""",
        [
            {
                "reply_id": reply.id,
                "id": run.id,
                "conversation": reply.conversation_id,
                "project": project_id,
                "model": reply.model,
                "step": run.step,
                "place": run.place,
                "at": run.at,
                "name": run.name,
                "arguments": run.arguments,
                "effect": run.effect,
                "status": run.status,
                "expires_at": run.expires_at,
                "now": now(),
                "summary": run.summary,
            }
            for run in runs
        ],
    )


def change(tx: Tx, reply_id: str, call_id: str, **values: object) -> ToolRun | None:
    """Set the given columns of a call and return it; None when it is gone."""
    sets = ", ".join(f"{name} = :{name}" for name in values)
    return tx.one(
        ToolRun,
        f"""UPDATE tool_runs SET {sets} WHERE reply_id = :reply AND id = :call
            AND workspace_id = :workspace RETURNING *""",
        reply=reply_id,
        call=call_id,
        **values,
    )


def save_full_result(tx: Tx, reply_id: str, call_id: str, text: str) -> None:
    """Keep all that a call gave, where a model was given only a part."""
    tx.run(
        """INSERT INTO tool_results (reply_id, call_id, workspace_id, text)
           VALUES (:reply, :call, :workspace, :text)""",
        reply=reply_id,
        call=call_id,
        text=text,
    )


def read_full_result(tx: Tx, run: ToolRun) -> str:
    """Return all that a call gave, as far as the caller may read it."""
    if not can_read_result(tx, run):
        return hide_unreadable_results(tx, [run])[0].result
    sql = """SELECT text FROM tool_results WHERE reply_id = :reply AND call_id = :call
        AND workspace_id = :workspace"""
    return str(tx.value(sql, reply=run.reply_id, call=run.id) or run.result)


def can_read_result(tx: Tx, run: ToolRun) -> bool:
    """Tell whether the caller may read a result: it is no one else's, and they may open all it quotes."""
    return hide_unreadable_results(tx, [run]) == [run]


def hide_unreadable_results(tx: Tx, runs: Sequence[ToolRun]) -> list[ToolRun]:
    """Return calls without those results that are for others, or quote what the caller may not open."""
    quoted = {id_ for run in runs for id_ in run.quotes}
    may_open = find_visible_titles(tx, quoted).keys() if quoted else frozenset[str]()
    owned = [hide(run, PRIVATE_RESULT) if is_of_another(tx, run) else run for run in runs]
    return [run if may_open >= set(run.quotes) else hide(run) for run in owned]


def is_of_another(tx: Tx, run: ToolRun) -> bool:
    """Tell whether what a call gave is for another person alone."""
    return run.is_private and run.user_id != tx.by.user_id


def hide(run: ToolRun, told: str = HIDDEN_RESULT) -> ToolRun:
    """Return a call without what it gave."""
    return replace(run, result=told, tables=[], attachments=[])


def with_drawings(tx: Tx, reply_ids: Sequence[str]) -> list[ToolRun]:
    """Return the calls that quote other conversations and gave tables or figures, for the caller to see."""
    sql = f"""SELECT * FROM tool_runs WHERE workspace_id = :workspace AND reply_id IN {bound_list("ids")}
        AND quotes <> '[]' AND (tables <> '[]' OR attachments <> '[]')"""
    return hide_unreadable_results(tx, tx.all(ToolRun, sql, ids=list(reply_ids)))


def may_see_figure(tx: Tx, conversation_id: str, attachment_id: str) -> bool:
    """Tell whether the caller may see a picture of a conversation: one that a call drew, with its result."""
    sql = r"""SELECT * FROM tool_runs WHERE conversation_id = :conversation AND workspace_id = :workspace
        AND quotes <> '[]' AND attachments LIKE :naming ESCAPE '\'"""
    naming = f"%{escape_like(attachment_id)}%"
    runs = tx.all(ToolRun, sql, conversation=conversation_id, naming=naming)
    return hide_unreadable_results(tx, runs) == runs


def find(tx: Tx, reply_id: str, call_id: str) -> ToolRun | None:
    """Return one call."""
    sql = "SELECT * FROM tool_runs WHERE reply_id = :reply AND id = :call AND workspace_id = :workspace"
    return tx.one(ToolRun, sql, reply=reply_id, call=call_id)


def list_of_reply(tx: Tx, reply_id: str) -> list[ToolRun]:
    """Return the calls of a reply, in the order in which they were asked for."""
    return list_of_replies(tx, [reply_id])


def list_of_replies(tx: Tx, reply_ids: Sequence[str]) -> list[ToolRun]:
    """Return the calls of some replies, each reply's in the order in which they were asked for."""
    sql = f"""SELECT * FROM tool_runs WHERE workspace_id = :workspace AND reply_id IN {bound_list("ids")}
        ORDER BY reply_id, step, place"""
    return tx.all(ToolRun, sql, ids=list(reply_ids))


def results_by_call(tx: Tx, reply_ids: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return what the calls of some replies gave, by reply and call; nothing that is not for all readers."""
    runs = list_of_replies(tx, reply_ids)
    return {(run.reply_id, run.id): run.result for run in runs if run.length and not run.is_read_apart}


def count_waiting(tx: Tx, reply_id: str) -> int:
    """Return how many calls of a reply wait for a person."""
    sql = """SELECT count(*) FROM tool_runs WHERE reply_id = :reply AND workspace_id = :workspace
        AND status = 'waiting'"""
    return int(tx.value(sql, reply=reply_id))


def count_waiting_in_conversation(tx: Tx, conversation_id: str) -> int:
    """Return how many calls of a conversation wait for a person."""
    sql = """SELECT count(*) FROM tool_runs WHERE conversation_id = :conversation
        AND workspace_id = :workspace AND status = 'waiting'"""
    return int(tx.value(sql, conversation=conversation_id))


def is_outcome_unknown(tx: Tx, conversation_id: str, name: str) -> bool:
    """Tell whether a call of a tool may or may not have run, and no person decided on a later one since."""
    # Of two lanes at work, nobody knows which was first: what ran because it was granted proves nothing.
    sql = """SELECT 1 FROM tool_runs AS u WHERE u.conversation_id = :conversation AND u.name = :name
        AND u.workspace_id = :workspace AND u.status = 'unknown' AND NOT EXISTS (
            SELECT 1 FROM tool_runs AS k WHERE k.conversation_id = u.conversation_id AND k.name = u.name
            AND k.workspace_id = :workspace AND k.decided_by IS NOT NULL
            AND (k.reply_id, k.step, k.place) > (u.reply_id, u.step, u.place)) LIMIT 1"""
    return tx.value(sql, conversation=conversation_id, name=name) is not None


def list_expired_approvals(tx: Tx) -> list[ToolRun]:
    """Return the calls, of anybody, that have waited too long for a yes."""
    sql = "SELECT * FROM tool_runs WHERE status = 'waiting' AND expires_at < :now"
    return tx.all(ToolRun, sql, now=now())


def stop_open_calls(tx: Tx, reply_id: str) -> list[ToolRun]:
    """End the calls of a reply that is over: whether one with a side effect has run, nobody knows."""
    return tx.all(
        ToolRun,
        """UPDATE tool_runs SET ended_at = :now, status =
             CASE WHEN status = 'running' AND effect = 'side' THEN 'unknown' ELSE 'stopped' END
           WHERE reply_id = :reply AND workspace_id = :workspace
           AND status IN ('waiting', 'approved', 'running') RETURNING *""",
        reply=reply_id,
        now=now(),
    )


def list_steps(tx: Tx, reply_id: str) -> list[ToolStep]:
    """Return what a model said before each step with tools."""
    sql = "SELECT * FROM tool_steps WHERE reply_id = :reply AND workspace_id = :workspace ORDER BY step"
    return tx.all(ToolStep, sql, reply=reply_id)
