"""Which files, memories and other conversations a call's result quotes: it is erased with any of them."""

from collections.abc import Collection

from tertulia.conversations import access, tool_runs
from tertulia.conversations.domain import Conversation, Reply
from tertulia.conversations.events import ReplyToolOutput, encode_event
from tertulia.conversations.tool_runs import ToolRun
from tertulia.files import access as file_access
from tertulia.files.deletion import filter_restorable
from tertulia.files.mentions import find_mentions
from tertulia.infra.db import Tx, bound_list
from tertulia.infra.events import EventLog

MEMORY_ID_PREFIX = "mem_"


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
    source_ids = find_source_ids(tx, run)
    if not source_ids:
        return run
    clear_live_output(tx, reply, run, log=log)
    if deleted := find_deleted_sources(tx, source_ids):
        tx.run(
            f"""UPDATE tool_sources SET is_deleted = 1 WHERE reply_id = :reply AND call_id = :call
                AND workspace_id = :workspace AND source_id IN {bound_list("deleted")}""",
            reply=reply.id,
            call=run.id,
            deleted=sorted(deleted),
        )
    return tool_runs.find(tx, reply.id, run.id) or run


def find_deleted_sources(tx: Tx, source_ids: Collection[str]) -> frozenset[str]:
    """Return those of some files and conversations that are gone for good; memories the database notices."""
    looked_up = frozenset(id_ for id_ in source_ids if not id_.startswith(MEMORY_ID_PREFIX))
    missing = looked_up - file_access.filter_existing(tx, looked_up)
    if not missing:
        return missing
    return missing - access.filter_existing(tx, missing) - filter_restorable(tx, missing)


def clear_live_output(tx: Tx, reply: Reply, run: ToolRun, *, log: EventLog) -> None:
    """Take from the events what a call said while it ran: its result has that, and is erased in time."""
    empty = encode_event(ReplyToolOutput(reply.id, run.id, ""))
    beginning = empty.partition('"text":')[0]
    log.overwrite_events_by_prefix(
        tx, reply.conversation_id, prefix=beginning, after=reply.first_seq, body=empty
    )


def find_source_ids(tx: Tx, run: ToolRun) -> frozenset[str]:
    """Return the files, memories and other conversations that a result quotes."""
    sql = """SELECT source_id FROM tool_sources WHERE reply_id = :reply AND call_id = :call
        AND workspace_id = :workspace"""
    return frozenset(tx.column(sql, reply=run.reply_id, call=run.id))


def find_quoted_memories(tx: Tx, reply_id: str) -> frozenset[str]:
    """Return the memories that the results of a reply's calls quote."""
    sql = """SELECT source_id FROM tool_sources WHERE reply_id = :reply AND workspace_id = :workspace
        AND source_id LIKE :memories"""
    return frozenset(tx.column(sql, reply=reply_id, memories=f"{MEMORY_ID_PREFIX}%"))


def find_named_files(tx: Tx, conversation: Conversation, text: str) -> frozenset[str]:
    """Return the files of a conversation and its project that a text names."""
    files = file_access.list_locations(tx, conversation.project_id, conversation.id)
    return frozenset(file.id for file in find_mentions(text, files))
