"""Which files and other conversations the result of a call quotes: it is erased with any of them."""

from collections.abc import Collection
from dataclasses import dataclass

from tertulia.conversations import tool_runs
from tertulia.conversations.domain import Conversation, Reply
from tertulia.conversations.events import ReplyToolOutput, encode_event
from tertulia.conversations.tool_runs import ToolRun
from tertulia.files.mentions import find_mentions
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog


@dataclass(frozen=True, slots=True)
class FileAtPath:
    """A file and where it lies."""

    id: str
    path: str


def add_sources(tx: Tx, reply_id: str, call_id: str, source_ids: Collection[str]) -> None:
    """Write down what a call quotes: it is erased with any of them."""
    tx.run_many(
        """INSERT INTO tool_sources (source_id, reply_id, call_id, workspace_id)
           SELECT :source, :reply, :call, :workspace
           WHERE EXISTS (SELECT 1 FROM tool_runs WHERE reply_id = :reply AND id = :call)
           ON CONFLICT DO NOTHING""",
        [{"source": source_id, "reply": reply_id, "call": call_id} for source_id in sorted(source_ids)],
    )


def erase_if_source_deleted(tx: Tx, reply: Reply, run: ToolRun, *, log: EventLog) -> ToolRun:
    """Return a call that has just ended; what it quotes and was deleted while it ran erases it now."""
    if not find_source_ids(tx, run):
        return run
    clear_live_output(tx, reply, run, log=log)
    tx.run(
        """UPDATE tool_sources SET is_deleted = 1
           WHERE reply_id = :reply AND call_id = :call AND workspace_id = :workspace
           AND NOT EXISTS (SELECT 1 FROM files WHERE id = source_id)
           AND NOT EXISTS (SELECT 1 FROM conversations WHERE id = source_id)
           AND NOT EXISTS (
             SELECT 1 FROM held_rows WHERE table_name = 'files' AND content ->> '$.id' = source_id)""",
        reply=reply.id,
        call=run.id,
    )
    return tool_runs.find(tx, reply.id, run.id) or run


def clear_live_output(tx: Tx, reply: Reply, run: ToolRun, *, log: EventLog) -> None:
    """Take from the events what a call said while it ran: its result has that, and is erased in time."""
    empty = encode_event(ReplyToolOutput(reply.id, run.id, ""))
    beginning = empty.partition('"text":')[0]
    log.overwrite_events_by_prefix(
        tx, reply.conversation_id, prefix=beginning, after=reply.first_seq, body=empty
    )


def find_source_ids(tx: Tx, run: ToolRun) -> frozenset[str]:
    """Return the files and other conversations that a result quotes."""
    sql = """SELECT source_id FROM tool_sources WHERE reply_id = :reply AND call_id = :call
        AND workspace_id = :workspace"""
    return frozenset(tx.column(sql, reply=run.reply_id, call=run.id))


def find_named_files(tx: Tx, conversation: Conversation, text: str) -> frozenset[str]:
    """Return the files of a conversation and its project that a text names."""
    sql = """SELECT id, path FROM files WHERE workspace_id = :workspace
        AND (conversation_id = :conversation OR project_id = :project AND conversation_id IS NULL)"""
    files = tx.all(FileAtPath, sql, conversation=conversation.id, project=conversation.project_id)
    return frozenset(file.id for file in find_mentions(text, files))
